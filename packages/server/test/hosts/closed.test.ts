import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { FetchRequest } from '../../src/hosts/fetch/fetch-request.ts';
import { FetchResponder } from '../../src/hosts/fetch/fetch-responder.ts';
import { NodeRequest } from '../../src/hosts/node/node-request.ts';
import { NodeResponder } from '../../src/hosts/node/node-responder.ts';
import type { Responder } from '../../src/response/responder.ts';
import { afterwards } from '../support/shop.ts';

/** A request to a Node server that was sent with part of its body, and its response. */
async function received(): Promise<readonly [IncomingMessage, ServerResponse]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  afterwards(async () => void socket.destroy());
  afterwards(async () => void server.close());
  socket.write('POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\nhalf');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return [request, response];
}

function fetchResponder(signal?: AbortSignal): FetchResponder {
  const request = new Request('https://shop.example/', signal && { signal });
  return new FetchResponder(new FetchRequest(request, {}), { handler: async () => new Response() });
}

const CLOSED: readonly (readonly [string, () => Responder | Promise<Responder>])[] = [
  [
    'Node',
    async () => {
      const [, response] = await received();
      const responder = new NodeResponder(response, () => undefined);
      response.destroy();
      await once(response, 'close');
      return responder;
    },
  ],
  [
    'fetch, answered',
    () => {
      const responder = fetchResponder();
      responder.send({ status: 200, headers: {}, body: '' });
      return responder;
    },
  ],
  ['fetch, left by its client', () => fetchResponder(AbortSignal.abort())],
];

it.each(CLOSED)('an exchange over %s that is closed says so at once to whoever asks later', async (_host, open) => {
  const responder = await open();
  expect(responder.isClosed).toBe(true);
  let calls = 0;
  responder.onClose(() => calls++)();
  expect(calls).toBe(1);
});

it('the body of a request whose client has left by then is not waited for', async () => {
  const [request] = await received();
  request.destroy();
  const parts = await new NodeRequest(request).bodyParts(1_000, () => undefined);
  expect(parts).toBeUndefined();
});
