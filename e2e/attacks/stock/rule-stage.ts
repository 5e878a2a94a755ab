import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type DevelopmentAccountName, type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, type Facilitator } from '@avm402/facilitator';
import { toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/facilitator';
import { USDC } from '@avm402/stack/balances';
import { sendFrom } from '../../send-from.ts';

/** The differences of a payment by hand from a good one. */
export interface Changes {
  /** Fields of both transactions. */
  readonly all?: object;
  readonly fee?: object;
  readonly payment?: object;
  /** Transactions of the payer behind the payment, with what they have of their own. */
  readonly riders?: readonly object[];
  /** The signer of the payment. Default: the payer. */
  readonly signer?: Account;
}

/** The interface that our facilitator and the stock one share. */
export interface AnyFacilitator {
  verify(payload: never, requirements: never): Promise<{ isValid: boolean; invalidReason?: string | undefined }>;
  settle(payload: never, requirements: never): Promise<{ success: boolean; errorReason?: string | undefined }>;
}

/** A payment, and what is asked for; default: what the payment says that it accepted. */
export interface Attempt {
  readonly payment: PaymentPayload;
  readonly requirements?: PaymentRequirements;
  /** Runs between verify and settle. */
  readonly between?: () => Promise<unknown>;
}

/** Our facilitator and the stock one, with the same sponsor, on one node that presents TestNet. */
export class RuleStage {
  readonly node: Devnode;
  readonly algod: AlgodClient;
  readonly ours: Facilitator;
  readonly stock: ExactAvmScheme;

  private constructor(node: Devnode) {
    this.node = node;
    this.algod = createAlgodClient(node);
    const { privateKey } = node.accounts.facilitator;
    this.ours = createFacilitator({
      networks: [{ algods: [this.algod] }],
      sponsorship: { account: parseAccount(privateKey), payTo: [node.accounts.merchant.address] },
    });
    this.stock = new ExactAvmScheme(
      toFacilitatorAvmSigner(privateKey, { testnetUrl: node.url, algodToken: node.token }),
    );
  }

  static async start(): Promise<RuleStage> {
    const stage = new RuleStage(await startDevnode({ port: 0, network: 'testnet' }));
    await stage.ours.start();
    return stage;
  }

  account(name: DevelopmentAccountName): Account {
    return parseAccount(this.node.accounts[name].privateKey);
  }

  /** A new account, or one that signs for another's address. */
  stranger(options: { readonly address?: string } = {}): Account {
    return accountFromSeed(crypto.getRandomValues(new Uint8Array(32)), options);
  }

  /** A new account that holds this much USDC. */
  async holder(amount: bigint): Promise<Account> {
    const account = this.stranger();
    await this.node.fund(account.address, 400_000n);
    await this.node.deal(account.address, USDC, amount);
    return account;
  }

  /** Sends all USDC of an account away. */
  async spend(owner: Account, amount: bigint): Promise<void> {
    const receiver = this.account('payer3').address;
    await sendFrom(this.algod, owner, { type: 'axfer', receiver, assetId: USDC, amount });
  }

  requirements(changes: Partial<PaymentRequirements> = {}): PaymentRequirements {
    return {
      scheme: 'exact',
      network: ALGORAND_TESTNET,
      asset: String(USDC),
      amount: '10000',
      payTo: this.account('merchant').address,
      maxTimeoutSeconds: 60,
      extra: { feePayer: this.account('facilitator').address },
      ...changes,
    };
  }

  /** A sponsored payment by hand of what is asked for, but for the changes. */
  async payment(changes: Changes = {}, accepted = this.requirements()): Promise<PaymentPayload> {
    const { genesisHash, genesisId, lastRound } = await this.algod.params();
    const header = { genesisHash, genesisId, firstValid: lastRound || 1n, lastValid: lastRound + 100n, ...changes.all };
    const sponsor = this.account('facilitator').address;
    const payer = this.account('payer');
    const riders = changes.riders ?? [];
    const fees = { fee: 1_000n * BigInt(2 + riders.length) };
    const note = crypto.getRandomValues(new Uint8Array(16));
    const transfer = { type: 'axfer', sender: payer.address, assetId: USDC, fee: 0n } as const;
    const members = assignGroup([
      { ...header, type: 'pay', sender: sponsor, receiver: sponsor, amount: 0n, ...fees, ...changes.fee },
      { ...header, ...transfer, receiver: accepted.payTo, amount: BigInt(accepted.amount), note, ...changes.payment },
      ...riders.map((rider) => ({ ...header, ...transfer, receiver: payer.address, amount: 0n, ...rider })),
    ] as Transaction[]);
    const signed = members.map((one, index) => {
      if (index === 0) return encodeTransaction(one);
      return (index === 1 ? (changes.signer ?? payer) : payer).signTransaction(one);
    });
    return { x402Version: 2, accepted, payload: { paymentGroup: signed.map(encodeBase64), paymentIndex: 1 } };
  }

  /** The answer of verify and then of settle: `settled`, or the reason. */
  async outcome(facilitator: AnyFacilitator, { payment, requirements, between }: Attempt): Promise<string> {
    const asked = (requirements ?? payment.accepted) as never;
    const verdict = await facilitator.verify(payment as never, asked);
    if (!verdict.isValid) return String(verdict.invalidReason);
    await between?.();
    const outcome = await facilitator.settle(payment as never, asked);
    return outcome.success ? 'settled' : `verified, then ${outcome.errorReason}`;
  }

  async stop(): Promise<void> {
    await this.ours.close();
    await this.node.stop();
  }
}
