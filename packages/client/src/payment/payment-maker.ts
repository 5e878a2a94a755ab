import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import {
  decodeTransaction,
  transactionId,
  type AssetTransferTransaction,
  type Transaction,
} from '@avm402/algorand/transaction';
import { ExactAvmClient, type ExactAvmClientOptions, MAX_FEE } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual, type Network } from '@avm402/core/network';
import { parsePaymentPayload, type PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { Refusal } from '../budget/spend-policy.ts';
import type { MandatePayments, MandatePaymentsOptions } from '../mandate/mandate-payments.ts';
import { whyNotByMandate } from '../mandate/mandate-terms.ts';
import type { PaymentFacts } from '../offers/pay-offer.ts';
import { paymentOf } from '../offers/payment-header.ts';

const MOST_PAYMENTS = 2;
/** As often a payment by mandate makes way for one of another process, which took its slot. */
const MOST_SLOTS = 8;

interface MadePayment {
  readonly payload: PaymentPayload;
  readonly facts: PaymentFacts;
}

/** Builds and signs the payment of one offer. Nothing is sent. */
export interface PaymentMaker {
  /** Address of the payer, if it is known beforehand. */
  readonly payer: string | undefined;
  /** The most payments that are made for one request: a further one only replaces one that can't be confirmed. */
  readonly mostPayments: number;
  /** The reason why it can't pay an offer, beyond the limits. */
  whyNot(requirements: PaymentRequirements): Refusal | undefined;
  /** @throws X402Error `signer_failed`; what the scheme throws */
  make(required: PaymentRequired, requirements: PaymentRequirements): Promise<MadePayment>;
  /** Asks algod again for the rounds of the next payment, after one has expired. */
  refresh(network: Network): Promise<void>;
}

/** The part of a stock `x402Client` (or `x402HTTPClient`) that makes payments. */
export interface StockClient {
  createPaymentPayload(required: PaymentRequired): Promise<unknown>;
}

/** One of our own schemes. */
interface Scheme {
  refresh(network: Network): Promise<void>;
  create(requirements: PaymentRequirements): Promise<{ payload: PaymentPayload['payload']; facts: PaymentFacts }>;
}

/** Payments by our own schemes: `exact`, and `upto` for an account that holds its key. */
export function avmPaymentMaker(options: ExactAvmClientOptions): PaymentMaker {
  const exact = new ExactAvmClient(options);
  const payer = exact.address;
  const schemes = new Map<string, Promise<Scheme>>([['exact', Promise.resolve(exactScheme(exact))]]);
  const schemeOf = ({ scheme }: PaymentRequirements): Promise<Scheme> => {
    const known = schemes.get(scheme) ?? uptoScheme(options, payer);
    schemes.set(scheme, known);
    // A page that can't load the code now may be able to later.
    known.catch(() => schemes.delete(scheme));
    return known;
  };
  return {
    payer,
    mostPayments: MOST_PAYMENTS,
    whyNot: () => undefined,
    refresh: async (network) => {
      await Promise.all((await Promise.all(schemes.values())).map((scheme) => scheme.refresh(network)));
    },
    async make(required, requirements) {
      const { payload, facts } = await (await schemeOf(requirements)).create(requirements);
      return { payload: paymentOf(required, requirements, payload), facts };
    },
  };
}

function exactScheme(scheme: ExactAvmClient): Scheme {
  return {
    refresh: (network) => scheme.refresh(network),
    create: async (requirements) => {
      const { payload, ...facts } = await scheme.createPayment(requirements);
      return { payload, facts: { ...facts, payer: scheme.address } };
    },
  };
}

/** Loads the scheme `upto` when it is first used: a page that pays fixed prices does not fetch its code. */
async function uptoScheme({ account, ...options }: ExactAvmClientOptions, payer: string): Promise<Scheme> {
  if (!('sign' in account)) throw new X402Error('unsupported_scheme');
  const { UptoAvmClient } = await import('@avm402/avm/upto/client');
  const scheme = new UptoAvmClient({ account, ...options });
  return {
    refresh: (network) => scheme.refresh(network),
    create: async (requirements) => {
      const { payload, ...found } = await scheme.createPayment(requirements);
      return { payload, facts: { ...found, txId: `upto:${found.lease}`, groupTxIds: [], payer, fee: 0n } };
    },
  };
}

/** Payments from a mandate. Its code is loaded with the first one. */
export function mandatePaymentMaker(options: MandatePaymentsOptions): PaymentMaker {
  const { mandate } = options;
  let loading: Promise<MandatePayments> | undefined;
  const load = (): Promise<MandatePayments> => {
    loading ??= import('../mandate/mandate-payments.ts').then(({ MandatePayments }) => new MandatePayments(options));
    loading.catch(() => (loading = undefined));
    return loading;
  };
  return {
    payer: mandate.address,
    mostPayments: MOST_SLOTS,
    whyNot: (requirements) => whyNotByMandate(mandate, requirements),
    refresh: async (network) => (await load()).refresh(network),
    async make(required, requirements) {
      const { payload, facts } = await (await load()).create(requirements);
      return { payload: paymentOf(required, requirements, payload), facts };
    },
  };
}

/** Payments by a stock client, with its schemes, policies and hooks. It sees only the offer that was chosen here. */
export function stockPaymentMaker(client: StockClient): PaymentMaker {
  return {
    payer: undefined,
    mostPayments: MOST_PAYMENTS,
    whyNot: () => undefined,
    // A stock client has no call for this.
    refresh: () => Promise.resolve(),
    async make(required, requirements) {
      const shown = structuredClone({ ...required, accepts: [requirements] });
      const payload = parsePaymentPayload(await client.createPaymentPayload(shown));
      return { payload, facts: factsOf(payload, requirements) };
    },
  };
}

/**
 * Reads what a payload does on chain: it must make the offer's payment and nothing else.
 * @throws X402Error `signer_failed`, `fee_above_limit`, `fee_payer_suspicious`
 */
function factsOf({ payload }: PaymentPayload, requirements: PaymentRequirements): PaymentFacts {
  const { paymentGroup, paymentIndex } = payload;
  if (!Array.isArray(paymentGroup) || typeof paymentIndex !== 'number') throw notThePayment();
  const group = paymentGroup.map(readMember);
  const payment = group[paymentIndex];
  if (payment?.type !== 'axfer' || !paysFor(payment, requirements)) throw notThePayment();
  if (payment.fee > MAX_FEE) throw new X402Error('fee_above_limit');
  const { feePayer } = requirements.extra;
  if (payment.sender === feePayer) throw new X402Error('fee_payer_suspicious');
  const others = group.filter((member) => member !== payment);
  if (others.length > 1 || others.some(({ sender }) => sender !== feePayer)) throw notThePayment();
  return {
    txId: transactionId(payment),
    groupTxIds: group.map((member) => transactionId(member)),
    ...(payment.group && { groupId: encodeBase64(payment.group) }),
    payer: payment.sender,
    fee: payment.fee,
    firstValid: payment.firstValid,
    lastValid: payment.lastValid,
  };
}

function paysFor(payment: AssetTransferTransaction, requirements: PaymentRequirements): boolean {
  const { asset, amount, payTo, network } = requirements;
  const { assetSender, assetCloseTo, rekeyTo } = payment;
  return (
    payment.assetId.toString() === asset &&
    payment.amount.toString() === amount &&
    payment.receiver === payTo &&
    networksEqual(networkOfGenesis(payment.genesisHash), network) &&
    (assetSender ?? assetCloseTo ?? rekeyTo) === undefined
  );
}

/** Reads a member of the group. It is signed, or it is the facilitator's and unsigned. */
function readMember(member: unknown): Transaction {
  const bytes = typeof member === 'string' ? decodeBase64(member) : undefined;
  if (!bytes) throw notThePayment();
  try {
    return decodeSignedTransaction(bytes).txn;
  } catch {
    return decodeTransaction(bytes);
  }
}

function notThePayment(): X402Error {
  return new X402Error('signer_failed', { message: 'the client made no payment of the chosen offer' });
}
