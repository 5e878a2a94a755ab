import { accountFromSeed } from '@avm402/algorand/account';
import { formatAddress } from '@avm402/algorand/address';
import { createSigner } from '@avm402/algorand/ed25519';
import { sha512_256 } from '@avm402/algorand/hash';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { multisigAddress } from '@avm402/algorand/multisig';
import { encodeAuthorized } from '@avm402/algorand/signed-transaction';
import { createMultisigWallet, type TransactionWallet } from '@avm402/avm/exact/client';
import { expect, it } from 'vitest';
import { mineUntil, openAcceptedShop, openSlowMarket, type SlowMarket } from './support/accepted-shop.ts';
import { receiptIn } from './support/shop.ts';

const USDC = 10_458_941n;
/** `#pragma version 6`, `pushint 1`: it allows everything. */
const PROGRAM = Uint8Array.of(6, 0x81, 1);
const programMessage = Uint8Array.from([...new TextEncoder().encode('Program'), ...PROGRAM]);
const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

/** A wallet whose transactions a program allows. */
function programWallet(address: string, logicSignature: Readonly<Record<string, Uint8Array>>): TransactionWallet {
  const lsig = encodeMsgpack(logicSignature);
  return {
    address,
    signTransactions: async (encoded, indexes = []) =>
      encoded.map((member, index) =>
        indexes.includes(index) ? encodeAuthorized(member, { logicSignature: lsig }) : null,
      ),
  };
}

const contract = programWallet(formatAddress(sha512_256(programMessage)), { l: PROGRAM });
const delegate = createSigner(seed(61));
const delegated = programWallet(accountFromSeed(seed(61)).address, { l: PROGRAM, sig: delegate.sign(programMessage) });
const signers = [71, 72].map((fill) => accountFromSeed(seed(fill)));
const parameters = { version: 1, threshold: 2, publicKeys: signers.map(({ publicKey }) => publicKey) };
const multisig = createMultisigWallet({ parameters, signers });
const owner = accountFromSeed(seed(81)).address;
const rekeyedToMultisig = createMultisigWallet({ parameters, signers, address: owner });

/** The same request by two payers, the first of whom waits for the block while the second is answered early. */
async function answered(market: SlowMarket, url: string, headers: readonly Record<string, string>[]) {
  const [waiting, early] = headers.map((one) => fetch(url, { headers: one }));
  expect(receiptIn((await early) ?? new Response())?.errorReason).toBe('settlement_pending');
  const answer = await mineUntil(market.node, waiting ?? Promise.reject(new Error('nobody asks')));
  return [answer.status, receiptIn(answer)?.success];
}

it.each([
  ['a multisig account', multisig],
  ['an account that is rekeyed to a multisig account', rekeyedToMultisig],
  ['a program’s account', contract],
  ['an account that lets a program sign for it', delegated],
])(
  'a payment of %s waits for its block: only what the payer’s own key has signed is answered early',
  async (_who, by) => {
    const market = await openSlowMarket();
    await market.node.fund(by.address, 1_000_000n);
    await market.node.deal(by.address, USDC, 1_000_000n);
    if (by === rekeyedToMultisig) await market.node.setAuthAddress(owner, multisigAddress(parameters));
    const { url, pay, events } = await openAcceptedShop(market);
    expect(await answered(market, url, [await pay({ by }), await pay()])).toEqual([200, true]);
    expect(events.filter(({ type }) => type === 'accepted')).toHaveLength(1);
    expect(market.received()).toBe(20_000n);
  },
);

it.each([
  ['another amount', ['$0.02'], '20000'],
  ['two other amounts', ['$0.02', '$0.03'], '30000'],
])('a payment of an option that waits, for %s, is not answered early for the option beside it', async (...row) => {
  const [, beside, amount] = row;
  const market = await openSlowMarket();
  const { url, pay, events } = await openAcceptedShop(market, { beside });
  expect(await answered(market, url, [await pay({ amount }), await pay()])).toEqual([200, true]);
  expect(events.filter(({ type }) => type === 'accepted')).toHaveLength(1);
});

it('a payment that an option which waits asks for in the same terms waits', async () => {
  const market = await openSlowMarket();
  const { url, pay, events } = await openAcceptedShop(market, { beside: ['$0.01'] });
  const answer = await mineUntil(market.node, fetch(url, { headers: await pay() }));
  expect([answer.status, receiptIn(answer)?.success]).toEqual([200, true]);
  expect(events.map(({ type }) => type)).not.toContain('accepted');
});
