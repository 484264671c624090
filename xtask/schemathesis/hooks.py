"""Bodies that schemathesis does not know how to send: they are sent as they are."""

import schemathesis


@schemathesis.serializer("application/x-ndjson", "application/msgpack")
def as_it_is(context, value):
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else str(value)
    return text.encode("utf-8", "surrogatepass")
