"""A2A over gRPC: the server, its methods and limits. Needs the extra `grpc`."""
