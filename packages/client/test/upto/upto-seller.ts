import { parseAccount } from '@avm402/algorand/account';
import { checkAuthorizationTerms, parseUptoPayload, signByAuthorization, uptoGroup } from '@avm402/avm/upto';
import { decodePaymentSignatureHeader, encodePaymentResponseHeader } from '@avm402/core/headers';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { accounts, type Chain } from '../chain.ts';
import { type Answer, type Answers, asking } from '../seller.ts';

const feePayer = parseAccount(accounts.facilitator.privateKey);

/** A metering seller with its facilitator in one, made of the scheme's own functions: it settles on a real node. */
export class UptoSeller {
  /** What the next request costs, atomic units; 1 cent at most. */
  cost = 3000n;
  /** Headers that came, each once. */
  readonly came = new Set<string>();
  readonly #chain: Chain;
  readonly #receipts = new Map<string, Promise<Record<string, string>>>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  async offer(): Promise<PaymentRequirements> {
    const { genesisHash } = await this.#chain.algod.params();
    return {
      scheme: 'upto',
      network: networkOfGenesis(genesisHash),
      asset: '10458941',
      amount: '10000',
      payTo: accounts.merchant.address,
      maxTimeoutSeconds: 60,
      extra: { feePayer: feePayer.address },
    };
  }

  /** Answers as an honest seller does: the same authorization gets the same receipt. */
  readonly honest: Answers = async ({ headers }): Promise<Answer> => {
    const header = headers['payment-signature'];
    if (typeof header !== 'string') return asking([await this.offer()]);
    this.came.add(header);
    const receipt = this.#receipts.get(header) ?? this.settle(header);
    this.#receipts.set(header, receipt);
    return { headers: await receipt };
  };

  /** Takes what a request costs. */
  async settle(header: string): Promise<Record<string, string>> {
    const payment = parseUptoPayload(decodePaymentSignatureHeader(header).payload);
    const offer = await this.offer();
    checkAuthorizationTerms(payment, offer);
    const amount = this.cost;
    const [fee, transfer] = uptoGroup(payment, { amount, fee: 1000n });
    if (!fee || !transfer) throw new Error('no group');
    const { algod } = this.#chain;
    const group = Buffer.concat([feePayer.signTransaction(fee), signByAuthorization(payment, transfer)]);
    const { txId } = await algod.sendRawTransaction(group);
    while (!(await algod.pendingTransaction(txId))?.confirmedRound) {
      await algod.waitForBlockAfter((await algod.status()).lastRound);
    }
    return this.receipt({ transaction: txId, amount: amount.toString() }, offer);
  }

  receipt(said: { readonly transaction: string; readonly amount: string }, { network }: PaymentRequirements) {
    return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader({ success: true, network, ...said }) };
  }
}
