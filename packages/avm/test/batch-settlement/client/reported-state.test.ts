import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '@avm402/algorand/base64';
import { createSigner } from '@avm402/algorand/ed25519';
import { channelId } from '../../../src/batch-settlement/channel-config.ts';
import {
  adoptReported,
  channelIn,
  chargeIn,
  reportedState,
} from '../../../src/batch-settlement/client/reported-state.ts';
import { signVoucher } from '../../../src/batch-settlement/voucher.ts';
import { config, sessionKey } from '../channel-fixture.ts';

const id = channelId(config);
const spending = { deposit: 100n, charged: 0n, signed: 10n, underWay: [], doubtful: 10n };
const none = new Uint8Array();
const state = (chargedCumulativeAmount: unknown, channel = id) => ({ channelId: channel, chargedCumulativeAmount });

describe('the state that a 402 tells', () => {
  it('is that of the channel, in whichever offer it is told', () => {
    const { signature } = signVoucher(sessionKey, id, 9n);
    const voucherState = { signedMaxClaimable: '9', signature: encodeBase64(signature) };
    const others = [{ extra: {} }, { extra: { channelState: state('5', 'another') } }];
    const accepts = [...others, { extra: { channelState: state('7'), voucherState } }];
    expect(reportedState({ accepts }, id)).toEqual({ charged: 7n, signed: 9n, signature });
    expect(reportedState({ accepts: others }, id)).toBeUndefined();
  });

  it('has no voucher where none is told', () => {
    const accepts = [{ extra: { channelState: state('0') } }];
    expect(reportedState({ accepts }, id)).toEqual({ charged: 0n, signed: 0n, signature: none });
  });

  it.each(['-1', '1.5', 7, undefined])('is none where it charges %s', (charged) => {
    expect(reportedState({ accepts: [{ extra: { channelState: state(charged) } }] }, id)).toBeUndefined();
  });

  it('is believed with a voucher of the channel’s own key, or where there is none and nothing is charged', () => {
    const adopted = (charged: bigint, signed: bigint, signature: Uint8Array) =>
      adoptReported(spending, config, { charged, signed, signature })?.charged;
    const { signature } = signVoucher(sessionKey, id, 10n);
    const believed = [adopted(0n, 0n, none), adopted(1n, 10n, signature), adopted(10n, 10n, signature)];
    expect(believed).toEqual([0n, 1n, 10n]);
    const forged = signVoucher(createSigner(new Uint8Array(32).fill(6)), id, 10n).signature;
    const lies = [adopted(1n, 0n, none), adopted(1n, 1n, none), adopted(10n, 10n, forged), adopted(0n, 11n, signature)];
    expect(lies).toEqual([undefined, undefined, undefined, undefined]);
  });
});

it('a receipt names its channel and its charge, as text', () => {
  const extra = { channelState: { channelId: id }, chargedAmount: '12' };
  expect([channelIn({ extra }), chargeIn({ extra })]).toEqual([id, 12n]);
  expect([channelIn({}), chargeIn({}), chargeIn({ extra: { chargedAmount: 12 } })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
