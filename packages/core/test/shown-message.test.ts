import { expect, it } from 'vitest';
import { encodePaymentSignatureHeader } from '../src/headers.ts';
import { shownMessage } from '../src/shown-message.ts';

const accepted = {
  scheme: 'exact',
  network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k',
  asset: '1',
  amount: '10000',
  payTo: 'P',
  maxTimeoutSeconds: 60,
  extra: { feePayer: 'F' },
} as const;
const header = (message: object): string => btoa(JSON.stringify(message));

it('shows of a payment what it is for, and nothing that pays, signs or identifies it', () => {
  const payment = encodePaymentSignatureHeader({
    x402Version: 2,
    resource: { url: 'https://shop.example/report?token=SECRET#SECRET' },
    accepted,
    payload: { paymentGroup: ['SECRET', 'SECRET'], paymentIndex: 1 },
    extensions: { 'payment-identifier': { info: { id: 'SECRET' } } },
  });
  const shown = shownMessage(payment) ?? '';
  expect(JSON.parse(shown)).toEqual({
    x402Version: 2,
    resource: { url: 'https://shop.example/report' },
    accepted,
    payload: { paymentIndex: 1 },
  });
  expect(shown).not.toContain('SECRET');
});

it('shows transactions as it is told to, and none of a group that has another thing in it', () => {
  const shown = (paymentGroup: unknown): string | undefined =>
    shownMessage(header({ payload: { paymentGroup, paymentIndex: 0 } }), (member) =>
      member.startsWith('T') ? member.toLowerCase() : undefined,
    );
  expect(shown(['T1', 'T2'])).toBe('{"payload":{"paymentGroup":["t1","t2"],"paymentIndex":0}}');
  expect(shown(['T1', 'SECRET'])).toBe('{"payload":{"paymentIndex":0}}');
  expect(shown('SECRET')).toBe('{"payload":{"paymentIndex":0}}');
});

it('shows of a voucher its channel and amount, without the signature, wherever one is', () => {
  const voucher = { channelId: 'C', maxClaimableAmount: '5', signature: 'SECRET' };
  const payload = {
    type: 'deposit',
    channelConfig: { token: '1' },
    voucher,
    deposit: { amount: '9', paymentGroup: ['SECRET'] },
  };
  expect(shownMessage(header({ payload }))).toBe(
    '{"payload":{"type":"deposit","voucher":{"channelId":"C","maxClaimableAmount":"5"},"deposit":{"amount":"9"}}}',
  );
  expect(shownMessage(header({ success: true, extra: { voucher } }))).not.toContain('SECRET');
});

it.each([undefined, null, '', 'no base64!', btoa('no JSON'), btoa(JSON.stringify('x'.repeat(20_000)))])(
  'shows nothing of what is no message',
  (text) => {
    expect(shownMessage(text)).toBeUndefined();
  },
);
