import { ExactAvmServer } from '@avm402/avm/exact/server';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { expect, it } from 'vitest';
import { createSeller, createMemoryChannelStore } from '../../src/index.ts';

function selling(options: Readonly<Record<string, unknown>>, channels?: Readonly<Record<string, unknown>>) {
  const client = new HTTPFacilitatorClient({ url: 'http://127.0.0.1:1' });
  const server = new x402ResourceServer(client).register('algorand:*', new ExactAvmServer());
  return createSeller({ server, ...options, ...(channels && { channels }) } as unknown as Parameters<
    typeof createSeller
  >[0]);
}

const store = createMemoryChannelStore();

it.each<[string, unknown]>([
  ['sweepMs', 0],
  ['sweepMs', 2 ** 31],
  ['sweepMs', '5'],
  ['idleMs', -1],
  ['idleMs', 1.5],
  ['idleMs', Number.NaN],
  ['openingsPerPeer', 0],
  ['openingsPerPeer', '20'],
  ['maxOwed', 100],
  ['maxOwed', 0n],
  ['closingRounds', 0n],
  ['closingRounds', '1000'],
  ['claimKey', new Uint8Array(31)],
  ['claimKey', 'a'.repeat(32)],
  ['store', undefined],
  ['store', {}],
  ['maxOwned', 5n],
])('a seller is refused whose channels have %s %o', (name, value) => {
  expect(() => selling({}, { store, [name]: value })).toThrow(
    expect.objectContaining({ code: 'invalid_option', details: { option: `channels.${name}` } }),
  );
});

it('a seller takes each option of channels at its least and at its most, and none', async () => {
  const least = {
    idleMs: 1,
    sweepMs: 1,
    openingsPerPeer: 1,
    maxOwed: 1n,
    closingRounds: 1n,
    claimKey: new Uint8Array(32),
  };
  for (const channels of [least, { sweepMs: 2 ** 31 - 1 }, { idleMs: undefined, maxOwed: undefined }]) {
    await selling({}, { store, ...channels }).channels?.stop();
  }
});

it.each<[string, unknown]>([
  ['maxHeldBytes', '10mb'],
  ['maxHeldBytes', 10n],
  ['maxHeldBytesInTotal', null],
  ['handlerTimeoutMs', '30s'],
  ['maxPaymentsPerPayer', true],
  ['storedForMs', 0],
])('a seller is refused whose limit %s is no number above 0, but %o', (name, value) => {
  expect(() => selling({ [name]: value })).toThrow(
    expect.objectContaining({ code: 'invalid_option', details: { option: name } }),
  );
});
