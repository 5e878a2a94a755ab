import type { IncomingMessage } from 'node:http';

/** Removes headers from wherever Node keeps those of a request. */
export function withoutHeaders(request: IncomingMessage, names: ReadonlySet<string>): void {
  const isKept = (index: number): boolean => !names.has(request.rawHeaders[index - (index % 2)]?.toLowerCase() ?? '');
  for (const name of names) {
    delete request.headers[name];
    delete request.headersDistinct[name];
  }
  request.rawHeaders = request.rawHeaders.filter((_text, index) => isKept(index));
}
