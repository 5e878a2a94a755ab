import { X402Error } from '@avm402/core/errors';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { describe, expect, it } from 'vitest';
import { parseChannelTerms } from '../../../src/batch-settlement/channel-terms.ts';
import { BatchSettlementAvmServer } from '../../../src/batch-settlement/server/batch-settlement-avm-server.ts';
import { claimKeyOf } from '../../../src/batch-settlement/server/claim-key.ts';
import { isClaimSigned } from '../../../src/batch-settlement/claim-authorization.ts';
import { requirements, sponsor } from '../channel-stage.ts';
import { seller } from '../channel-fixture.ts';

const key = claimKeyOf(new Uint8Array(32).fill(8));
const { claimAuthorizer: _sellers, ...kindExtra } = requirements.extra;

/** A stock resource server whose facilitator takes channels on these terms. */
async function stockServer(scheme: BatchSettlementAvmServer, extra: Record<string, unknown> = kindExtra) {
  const kind = { x402Version: 2, scheme: 'batch-settlement', network: ALGORAND_TESTNET, extra };
  const unasked = () => Promise.reject(new Error('nothing is settled here'));
  const facilitator: FacilitatorClient = {
    getSupported: () => Promise.resolve({ kinds: [kind], extensions: [], signers: {} }),
    verify: unasked,
    settle: unasked,
  };
  const server = new x402ResourceServer(facilitator).register('algorand:*', scheme);
  await server.initialize();
  return server;
}

const option = {
  scheme: 'batch-settlement',
  network: ALGORAND_TESTNET,
  payTo: seller.address,
  price: '$0.01',
} as const;

describe('BatchSettlementAvmServer', () => {
  it('offers channels in a stock resource server, on the facilitator’s terms, with the seller’s claim key', async () => {
    const server = await stockServer(new BatchSettlementAvmServer({ claimAuthorizer: key.address }));
    const [offer] = await server.buildPaymentRequirements(option);
    expect(offer).toMatchObject({ scheme: 'batch-settlement', amount: '10000', payTo: seller.address });
    expect(parseChannelTerms(offer?.extra ?? {})).toEqual({
      ...parseChannelTerms(requirements.extra),
      claimAuthorizer: key.address,
    });
  });

  it.each([
    ['5000000', '30000', 5_000_000n, 30_000n],
    ['1', '1', 1_000_000n, 1_000n],
  ])(
    'asks for more than the facilitator does where a route does (%s, %s), and for no less',
    async (minDeposit, minRounds, deposit, rounds) => {
      const scheme = new BatchSettlementAvmServer({ claimAuthorizer: key.address });
      const kind = { x402Version: 2, scheme: 'batch-settlement', network: ALGORAND_TESTNET, extra: kindExtra };
      const route = { ...requirements, network: ALGORAND_TESTNET, extra: { minDeposit, minRounds } };
      const { extra } = await scheme.enhancePaymentRequirements(route, kind, []);
      expect(parseChannelTerms(extra)).toMatchObject({ minDeposit: deposit, minRounds: rounds });
    },
  );

  it.each(['1.5', '0x10', '', 5_000_000, null, {}])(
    'refuses a least deposit of %j instead of offering a lower one',
    async (minDeposit) => {
      const scheme = new BatchSettlementAvmServer({ claimAuthorizer: key.address });
      const kind = { x402Version: 2, scheme: 'batch-settlement', network: ALGORAND_TESTNET, extra: kindExtra };
      const route = { ...requirements, network: ALGORAND_TESTNET, extra: { minDeposit } };
      const offered = scheme.enhancePaymentRequirements(route, kind, []);
      await expect(offered).rejects.toMatchObject({ code: 'invalid_amount' });
    },
  );

  it('offers nothing without a claim key, or where the facilitator sponsors no channels', async () => {
    const without = await stockServer(new BatchSettlementAvmServer());
    await expect(without.buildPaymentRequirements(option)).rejects.toMatchObject({ code: 'unsupported_scheme' });
    const scheme = new BatchSettlementAvmServer({ claimAuthorizer: key.address });
    const unsponsored = await stockServer(scheme, { feePayer: sponsor });
    await expect(unsponsored.buildPaymentRequirements(option)).rejects.toBeInstanceOf(X402Error);
  });

  it.each(['minDeposit', 'minRounds'])(
    'offers nothing where only the route has terms, and no %s is known',
    async (name) => {
      const scheme = new BatchSettlementAvmServer({ claimAuthorizer: key.address });
      const { [name]: _unknown, ...extra } = kindExtra;
      const kind = { x402Version: 2, scheme: 'batch-settlement', network: ALGORAND_TESTNET, extra };
      const route = { ...requirements, network: ALGORAND_TESTNET, extra: { [name]: '5000000' } };
      const offered = scheme.enhancePaymentRequirements(route, kind, []);
      await expect(offered).rejects.toMatchObject({ code: 'unsupported_scheme' });
    },
  );
});

describe('a claim key', () => {
  it('says which claims are its seller’s, to the unit', () => {
    const claim = { channelId: seller.address, amount: 7n };
    expect(isClaimSigned(key.authorize(claim), claim, key.address)).toBe(true);
    expect(isClaimSigned(key.authorize(claim), { ...claim, amount: 8n }, key.address)).toBe(false);
  });

  it('makes one idempotency key for one thing, which another seller does not make', () => {
    expect(key.idempotencyKey('TX')).toMatch(/^[0-9a-f]{64}$/);
    expect(key.idempotencyKey('TX')).toBe(claimKeyOf(new Uint8Array(32).fill(8)).idempotencyKey('TX'));
    expect(key.idempotencyKey('TX')).not.toBe(key.idempotencyKey('TY'));
    expect(key.idempotencyKey('TX')).not.toBe(claimKeyOf(new Uint8Array(32).fill(9)).idempotencyKey('TX'));
  });
});
