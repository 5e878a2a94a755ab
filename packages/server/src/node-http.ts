/**
 * The part of `node:http` that is used. It is not imported, because an import reads all exports of a module, and one of
 * these, `WebSocket`, then loads undici with its fetch and HTTP/2: 40 ms of the start of a server that uses neither.
 */
export const { METHODS, ServerResponse, validateHeaderValue } = process.getBuiltinModule('node:http');
