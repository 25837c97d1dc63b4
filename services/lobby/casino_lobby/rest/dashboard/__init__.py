"""The routes of the original casino's dashboard, `/ui/…`, in the original's shapes."""
