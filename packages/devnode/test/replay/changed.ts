import type { Exchange } from './recording.ts';

/** The same exchange, with one bit of the answer's first value changed. */
export function oneByteChanged(recorded: Exchange): Exchange {
  const body = recorded.response.body ?? '';
  const at = body.indexOf('"', 2) - 1;
  const changed = body.slice(0, at) + String.fromCharCode(body.charCodeAt(at) ^ 1) + body.slice(at + 1);
  return { ...recorded, response: { ...recorded.response, body: changed } };
}
