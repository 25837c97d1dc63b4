# One image per service: docker build --target lobby|table|player_example|gateway|evaluator|match|console .
#
# Plain instructions only, so that every builder takes it: BuildKit, and the classic one.

FROM python:3.11-slim-bookworm AS base


# What others wrote, before what we wrote: it stays in the cache when our sources change.
FROM base AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
RUN pip install --quiet --constraint constraints.txt hatchling
# A wheel without sources: nothing but the requirements of every extra.
RUN pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /requirements .
# All images share one layer, with gRPC for agents of others that speak nothing else, and traces; what
# one service needs beyond it is laid over that.
RUN python -m venv --without-pip /opt/venv \
    && install="pip --python /opt/venv/bin/python install --quiet --no-compile" \
    && install="$install --constraint constraints.txt" \
    && wheel="$(ls /requirements/*.whl)" \
    && $install "$wheel[grpc,traces]" \
    && for extra in llm mcp; do $install --prefix "/opt/$extra" "$wheel[$extra]" || exit 1; done \
    # Tests, type stubs, and what extensions are built with, are of no use at run time.
    && find /opt -depth \( -type d -name tests -o -name '*.py[ix]' -o -name '*.pxd' \
        -o -name '*.[ach]' -o -path '*/numpy/distutils' -o -path '*/numpy/f2py' \) -exec rm -rf {} + \
    # Where nothing can be written, modules are compiled beforehand, and not compared again.
    && python -m compileall -q -f -j 0 --invalidation-mode unchecked-hash /opt


FROM build AS package
COPY services services
COPY shared shared
COPY console console
RUN pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /package . \
    && pip --python /opt/venv/bin/python install --quiet --no-compile --no-deps --ignore-installed \
        --prefix /opt/package /package/*.whl \
    && python -m compileall -q -f -j 0 --invalidation-mode unchecked-hash /opt/package


FROM base AS runtime
# What is written belongs in /var/lib/casino, where a volume may be mounted; each key is
# in a volume of its own, below /run/keys.
# The base brings an installer that nobody needs here, and a library that is not compiled.
RUN groupadd --gid 10001 casino \
    && useradd --uid 10001 --gid casino --no-create-home --home-dir /tmp \
        --shell /usr/sbin/nologin casino \
    && install --directory --owner casino --group casino --mode 0700 /var/lib/casino \
        /run/keys /run/keys/operator /run/keys/fleet /run/keys/players /run/keys/gateway \
        /run/keys/evaluator /run/keys/match /run/keys/dealer \
    && find /usr -xdev -depth \( -name pip -o -name 'pip[0-9.]*' -o -name 'pip-*' \
        -o -name ensurepip -o -name 'setuptools*' -o -name pkg_resources -o -name wheel \
        -o -name 'wheel-*' -o -name _distutils_hack -o -name distutils-precedence.pth \) \
        -exec rm -rf {} + \
    && python -m compileall -q -f -j 0 --invalidation-mode unchecked-hash \
        "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY containers/ready.py /opt/ready.py
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/venv /opt/venv
COPY --from=package /opt/package /opt/venv
USER 10001
# Drains: the running hand is played to its end.
STOPSIGNAL SIGTERM
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION"


FROM runtime AS lobby
COPY containers/keys.py /opt/keys.py
ENV CASINO_LOBBY_HOST=0.0.0.0 CASINO_LOBBY_PORT=4000 CASINO_LOBBY_DATA=/var/lib/casino
EXPOSE 4000
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_LOBBY_PORT
LABEL org.opencontainers.image.title="A2A Casino: lobby" \
    org.opencontainers.image.description="Rooms, invitations and the record of every event."
ENTRYPOINT ["python", "-m", "casino_lobby"]


FROM runtime AS table
ENV CASINO_TABLE_HOST=0.0.0.0 CASINO_TABLE_PORT=4500 OPENBLAS_NUM_THREADS=1
EXPOSE 4500
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_TABLE_PORT
LABEL org.opencontainers.image.title="A2A Casino: table" \
    org.opencontainers.image.description="Plays No-Limit Hold'em with agents, within the clock."
ENTRYPOINT ["python", "-m", "casino_table"]


FROM runtime AS player_example
COPY --from=build /opt/llm /opt/venv
# One thread for numpy: it would start one per core for linear algebra that nobody does here.
ENV CASINO_PLAYER_HOST=0.0.0.0 CASINO_PLAYER_PORT=4100 OPENBLAS_NUM_THREADS=1
EXPOSE 4100
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_PLAYER_PORT
LABEL org.opencontainers.image.title="A2A Casino: sample player" \
    org.opencontainers.image.description="Five styles of play, from one line to Monte-Carlo."
ENTRYPOINT ["python", "-m", "casino_player_example"]


FROM runtime AS gateway
COPY --from=build /opt/mcp /opt/venv
ENV CASINO_GATEWAY_HOST=0.0.0.0 CASINO_GATEWAY_PORT=4050 CASINO_GATEWAY_DATA=/var/lib/casino
EXPOSE 4050
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_GATEWAY_PORT
LABEL org.opencontainers.image.title="A2A Casino: gateway" \
    org.opencontainers.image.description="Seats for people, A2G and Boardgame Protocol clients."
ENTRYPOINT ["python", "-m", "casino_gateway"]


FROM runtime AS evaluator
ENV CASINO_EVALUATOR_HOST=0.0.0.0 CASINO_EVALUATOR_PORT=4060 \
    CASINO_EVALUATOR_DATA=/var/lib/casino OPENBLAS_NUM_THREADS=1
EXPOSE 4060
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_EVALUATOR_PORT
LABEL org.opencontainers.image.title="A2A Casino: evaluator" \
    org.opencontainers.image.description="Examines agents level by level, with scorecards."
ENTRYPOINT ["python", "-m", "casino_evaluator"]


FROM runtime AS match
ENV CASINO_MATCH_HOST=0.0.0.0 CASINO_MATCH_PORT=4070 CASINO_MATCH_DATA=/var/lib/casino \
    OPENBLAS_NUM_THREADS=1
EXPOSE 4070
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_MATCH_PORT
LABEL org.opencontainers.image.title="A2A Casino: matches" \
    org.opencontainers.image.description="Which agent plays better: matches in duplicate."
ENTRYPOINT ["python", "-m", "casino_match"]


FROM runtime AS console
ENV CASINO_DEALER_HOST=0.0.0.0 CASINO_DEALER_PORT=4200
EXPOSE 4200
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
    CMD python /opt/ready.py $CASINO_DEALER_PORT
LABEL org.opencontainers.image.title="A2A Casino: console" \
    org.opencontainers.image.description="The command casino; deal keeps a room playing."
ENTRYPOINT ["casino"]
CMD ["deal"]
