// How long a request's address and headers may be together, in bytes. uWebSockets.js reads it from the environment
// when it is loaded, so this module is imported before it; its own 4 KiB are less than an old widget's search query.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(16 * 1024)
