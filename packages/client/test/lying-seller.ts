import type { Chain } from './chain.ts';
import { asking, receipt, type Answer, type Answers, type SeenPayment } from './seller.ts';
import type { Random } from './random.ts';

type Lie = (payment: SeenPayment) => Answer | Promise<Answer>;

/** Answers of a seller that tells the truth in every third case, and otherwise whatever might make a buyer pay again. */
export function lyingAnswers(chain: Chain, random: Random): Answers {
  const price = (): string => String(10_000 * (1 + random.below(3)));
  const ask = (error?: string): Answer => asking([{ amount: price() }], error === undefined ? {} : { error });
  const settle = (payment: SeenPayment): Promise<void> => chain.settle(payment).catch(() => {});
  const later = (payment: SeenPayment): void => void setTimeout(() => void settle(payment), random.below(1500));

  const honest: Lie = async (payment) => {
    await settle(payment);
    return { headers: receipt(payment) };
  };
  const pendingReceipt = (payment: SeenPayment): Record<string, string> => ({
    'Retry-After': '0',
    ...receipt(payment, { success: false, errorReason: 'settlement_pending' }),
  });
  const refusal = (payment: SeenPayment, reason: string): Answer => {
    const { headers = {}, ...answer } = ask(reason);
    return { ...answer, headers: { ...headers, ...receipt(payment, { success: false, errorReason: reason }) } };
  };
  const lies: readonly [Lie, ...Lie[]] = [
    () => ask('invalid_exact_avm_expired'),
    (payment) => refusal(payment, 'settlement_expired'),
    (payment) => (later(payment), refusal(payment, 'settlement_rejected')),
    (payment) => (later(payment), ask('duplicate_payment')),
    async (payment) => (await settle(payment), ask()),
    async (payment) => (await settle(payment), { cut: 'before' }),
    async (payment) => (await settle(payment), { cut: 'within', headers: receipt(payment) }),
    async (payment) => (await settle(payment), { status: 500, headers: receipt(payment) }),
    (payment) => (later(payment), { status: 503, headers: pendingReceipt(payment) }),
    () => ({ status: 502 }),
    (payment) => ({ headers: receipt(payment) }),
    (payment) => ({ headers: receipt(payment, { transaction: 'A'.repeat(52) }) }),
    (payment) => (later(payment), { status: 307, headers: { Location: '/elsewhere' } }),
    (payment) => (later(payment), { status: 302, headers: { Location: `http://localhost:9/` } }),
  ];
  return ({ payment }) => {
    if (!payment) return ask();
    return random.below(3) === 0 ? honest(payment) : random.pick(lies)(payment);
  };
}
