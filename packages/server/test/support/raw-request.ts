import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends a request line as it is, which no HTTP client would, and returns the whole answer. */
export async function rawRequest(
  url: string,
  target: string,
  method = 'GET',
  headers: readonly string[] = [],
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: shop.example', ...headers, 'Connection: close', '', ''];
  socket.write(lines.join('\r\n'), 'latin1');
  let answer = '';
  socket.setEncoding('latin1');
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

/** The status code of an answer; 0 if the connection was closed without one. */
export function statusIn(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
