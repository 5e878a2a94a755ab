import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HeldResponse } from '../src/response/held-response.ts';

function heldResponse() {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  return { response, held: new HeldResponse(response, 1000) };
}

describe('what stands in for the methods of a held response', () => {
  it('is the same for all responses: an object with functions of its own is slow wherever Node touches it', () => {
    const [one, other] = [heldResponse(), heldResponse()].map(({ response }) =>
      Object.getOwnPropertyDescriptors(response),
    );
    for (const name of ['writeHead', 'write', 'end', 'flushHeaders', 'writeEarlyHints'] as const) {
      expect(one?.[name].value, name).toBeTypeOf('function');
      expect(one?.[name].value, name).toBe(other?.[name].value);
    }
    for (const name of ['headersSent', 'writableEnded'] as const) {
      expect(one?.[name].get, name).toBeTypeOf('function');
      expect(one?.[name].get, name).toBe(other?.[name].get);
    }
  });
});
