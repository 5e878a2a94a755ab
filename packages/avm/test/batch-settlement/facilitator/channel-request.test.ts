import { describe, expect, it } from 'vitest';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type ChannelConfig, channelId } from '../../../src/batch-settlement/channel-config.ts';
import { signClaim } from '../../../src/batch-settlement/claim-authorization.ts';
import { BatchSettlementAvmFacilitator } from '../../../src/batch-settlement/facilitator/batch-settlement-avm-facilitator.ts';
import { checkChannelRequest } from '../../../src/batch-settlement/facilitator/channel-request.ts';
import { encodeChannelPayload } from '../../../src/batch-settlement/payload.ts';
import { signVoucher } from '../../../src/batch-settlement/voucher.ts';
import { closer, payer, seller, sessionKey } from '../channel-fixture.ts';
import { claimKey, config, deposit, requirements, sponsor } from '../channel-stage.ts';
import { codeOf, messageOf, told, type Told } from './told-network.ts';

const network = told();
type Payload = Parameters<typeof encodeChannelPayload>[0];

const voucher = signVoucher(sessionKey, channelId(config), 7n);
const authorization = signClaim(claimKey, { channelId: channelId(config), amount: 7n });
const payloads: readonly Payload[] = [
  deposit(),
  { type: 'voucher', channelConfig: config, voucher },
  { type: 'claim', channelConfig: config, amount: 7n, voucher, authorization },
  { type: 'claim', channelConfig: config, amount: 0n, authorization },
  { type: 'refund', channelConfig: config },
];

function wire(payload: Payload, accepted: PaymentRequirements = requirements) {
  return { x402Version: 2 as const, accepted, payload: encodeChannelPayload(payload) };
}

const check = (payload: Payload, offer = requirements, accepted = offer) =>
  checkChannelRequest(wire(payload, accepted), offer, () => network);

/** Both the offer and the channel are changed, so that they agree. */
function agreed(change: Partial<ChannelConfig>, offered: Partial<PaymentRequirements>) {
  const channelConfig = { ...config, ...change };
  const offer = { ...requirements, ...offered, extra: { ...requirements.extra, ...offered.extra } };
  const own = signVoucher(sessionKey, channelId(channelConfig), 7n);
  return () => check({ type: 'voucher', channelConfig, voucher: own }, offer);
}

describe('a request about a channel', () => {
  it.each(payloads)('is read with its network and the id of its channel ($type)', (payload) => {
    const { channelConfig: _config, ...members } = payload;
    const about = { network, config, channelId: channelId(config) };
    const request = check(payload);
    expect(request).toMatchObject({ ...about, type: payload.type });
    if (payload.type !== 'deposit') expect(request).toEqual({ ...about, ...members });
  });

  it.each(payloads)('is one of this scheme, in the offer and in what was accepted ($type)', async (payload) => {
    const exact = { ...requirements, scheme: 'exact' };
    const codes = [await codeOf(() => check(payload, exact)), await codeOf(() => check(payload, requirements, exact))];
    expect([...codes, await codeOf(() => check(payload, exact, requirements))]).toEqual(
      Array.from({ length: 3 }, () => 'unsupported_scheme'),
    );
  });

  it('is about a network that is served here', async () => {
    const elsewhere = () => checkChannelRequest(wire(deposit()), requirements, () => undefined);
    expect(await codeOf(elsewhere)).toBe('unsupported_network');
    expect(await messageOf(elsewhere)).toContain(`no channels are opened or closed on ${requirements.network} here`);
  });

  const genesisHash = new Uint8Array(32).fill(8);
  it.each<[string, () => unknown, string]>([
    ['of another network', agreed({ genesisHash }, {}), 'the channel’s genesisHash is not this facilitator’s'],
    [
      'closed by a stranger',
      agreed({ receiverAuthorizer: seller.address }, { extra: { receiverAuthorizer: seller.address } }),
      'the channel’s receiverAuthorizer is not this facilitator’s',
    ],
    [
      'funded by a stranger',
      agreed({ funder: payer.address }, { extra: { funder: payer.address } }),
      'the channel’s funder is not this facilitator’s',
    ],
    ['from an account of ours', agreed({ payer: sponsor }, {}), 'the channel is to or from an account of this'],
    [
      'to an account of ours',
      agreed({ receiver: sponsor }, { payTo: sponsor }),
      'the channel is to or from an account of this',
    ],
    ['of another receiver than the offer', agreed({}, { payTo: payer.address }), 'the channel’s receiver is not that'],
    ['in another asset than the offer', agreed({}, { asset: '1' }), 'the channel’s token is not that of the offer'],
    [
      'closed by another account of ours than the offer says',
      agreed({ receiverAuthorizer: sponsor }, {}),
      'the channel’s receiverAuthorizer is not that of the offer',
    ],
    [
      'funded by another account of ours than the offer says',
      agreed({ funder: closer.address }, {}),
      'the channel’s funder is not that of the offer',
    ],
  ])('%s is refused', async (_what, work, message) => {
    expect(await codeOf(work)).toBe('channel_config');
    expect(String(await messageOf(work)).replaceAll("'", '’')).toContain(message);
    expect(await codeOf(agreed({}, {}))).toBe('ok');
  });

  it('is for the network of its offer, however that is spelled', async () => {
    const other = networkOfGenesis(genesisHash);
    expect(await codeOf(agreed({}, { network: other }))).toBe('channel_config');
    expect(await codeOf(agreed({ genesisHash }, { network: other, extra: {} }))).toBe('ok');
  });

  it('pays the fee of a deposit from an account of ours', async () => {
    const offer = { ...requirements, extra: { ...requirements.extra, feePayer: seller.address } };
    expect(await codeOf(() => check(deposit(), offer))).toBe('deposit_group');
    expect(await messageOf(() => check(deposit(), offer))).toContain(`fee payer ${seller.address} is not this`);
  });

  it.each([
    ['its voucher', 7n, 7n, 'ok'],
    ['a unit more than its voucher', 8n, 7n, 'voucher_too_low'],
    ['less than its voucher', 6n, 7n, 'ok'],
    ['nothing, without a voucher', 0n, undefined, 'ok'],
    ['a unit, without a voucher', 1n, undefined, 'voucher_too_low'],
  ])('claims %s', async (_what, amount, signed, code) => {
    const allowed = signed === undefined ? undefined : signVoucher(sessionKey, channelId(config), signed);
    const claim = {
      type: 'claim',
      channelConfig: config,
      amount,
      authorization,
      ...(allowed && { voucher: allowed }),
    } as const;
    expect(await codeOf(() => check(claim))).toBe(code);
    if (code === 'ok') return;
    expect(await messageOf(() => check(claim))).toContain(`${amount} is claimed, the voucher allows ${signed ?? 0n}`);
  });

  it('carries a voucher that the session key has signed, where it carries one', async () => {
    const forged = { ...voucher, signature: new Uint8Array(64) };
    for (const payload of payloads.filter(({ type }) => type !== 'refund')) {
      expect(await codeOf(() => check({ ...payload, voucher: forged } as Payload))).toBe('voucher_signature');
    }
  });
});

describe('the scheme of a facilitator', () => {
  const facilitator = (facts: Told = {}, isServed = true) =>
    new BatchSettlementAvmFacilitator({
      networkOf: () => (isServed ? told(facts) : undefined),
      settle: async () => ({ success: true, transaction: 'T', network: requirements.network }),
    });

  it('says for offers who closes, pays and lends, and within which bounds', () => {
    const policy = { minDeposit: 5n, minRounds: 6n, maxRounds: 7n };
    expect(facilitator({ policy }).getExtra(requirements.network)).toEqual({
      receiverAuthorizer: closer.address,
      feePayer: sponsor,
      funder: closer.address,
      genesisHash: 'a hash',
      minDeposit: '5',
      minRounds: '6',
      maxRounds: '7',
    });
    expect(facilitator().getSigners(requirements.network)).toEqual([closer.address, sponsor]);
  });

  it('says nothing of a network that it does not serve', async () => {
    const nowhere = facilitator({}, false);
    expect([nowhere.getExtra(requirements.network), nowhere.getSigners(requirements.network)]).toEqual([undefined, []]);
    expect(await nowhere.verify(wire(deposit()), requirements)).toMatchObject({ invalidReason: 'unsupported_network' });
  });

  it.each<[string, Payload, Told, string]>([
    ['a deposit', deposit(), {}, 'channel_used'],
    ['a voucher', { type: 'voucher', channelConfig: config, voucher }, {}, 'channel_closed'],
    ['a claim', { type: 'claim', channelConfig: config, amount: 7n, voucher, authorization }, {}, 'channel_closed'],
    ['a refund', { type: 'refund', channelConfig: config }, { round: 5000n }, 'channel_closed'],
  ])('verifies %s, and tells the round that it knows', async (_what, payload, facts, refused) => {
    const holding = { address: '', minBalance: 200_000n, round: 20n, amount: 200_000n };
    const empty = { ...holding, minBalance: 100_000n, amount: 0n };
    const [lives, other] = payload.type === 'deposit' ? [empty, holding] : [holding, empty];
    const verify = async (algod: NonNullable<Told['algod']>) =>
      facilitator({ known: 99n, ...facts, algod }).verify(wire(payload), requirements);
    const verdict = { isValid: true, payer: payer.address, extra: { lastRound: '99' } };
    expect(await verify({ account: async () => lives })).toEqual(verdict);
    const ended = {
      account: async () => other,
      accountAsset: async () => undefined,
    };
    expect(await verify(ended)).toMatchObject({
      isValid: false,
      invalidReason: `invalid_batch_settlement_avm_${refused}`,
    });
  });

  it('settles by its store', async () => {
    expect(await facilitator().settle(wire(deposit()), requirements)).toMatchObject({ transaction: 'T' });
  });
});
