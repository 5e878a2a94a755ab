import { ExactAvmClient, type ExactAvmClientOptions } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import { loadedOnce } from '@avm402/core/loaded-once';
import type { Network } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type Refusal, UPTO } from '../budget/spend-policy.ts';
import type { MandatePaymentsOptions } from '../mandate/mandate-payments.ts';
import { whyNotByMandate } from '../mandate/mandate-terms.ts';
import type { PaymentFacts } from '../offers/pay-offer.ts';
import { paymentOf } from '../offers/payment-header.ts';

/** A second payment only replaces one that can't be confirmed. */
export const MOST_PAYMENTS = 2;
/** As often a payment by mandate makes way for one of another process, which took its slot. */
const MOST_SLOTS = 8;

interface MadePayment {
  readonly payload: PaymentPayload;
  readonly facts: PaymentFacts;
  /** Gives back what the payment holds, because it never leaves. */
  readonly drop?: () => void;
}

/** Builds and signs the payment of one offer. Nothing is sent. */
export interface PaymentMaker {
  /** Address of the payer, if it is known beforehand. */
  readonly payer: string | undefined;
  /** The most payments that are made for one request: a further one only replaces one that can't be confirmed. */
  readonly mostPayments: number;
  /** Loads its code and checks what it pays with, before it is asked anything else. Absent: nothing is left to do. */
  readonly ready?: () => Promise<unknown>;
  /** The reason why it can't pay an offer, beyond the limits. */
  whyNot(requirements: PaymentRequirements): Refusal | undefined;
  /** @throws X402Error `signer_failed`; what the scheme throws */
  make(required: PaymentRequired, requirements: PaymentRequirements, signal?: AbortSignal): Promise<MadePayment>;
  /** Asks algod again for the rounds of the next payment, after one has expired. */
  refresh(network: Network): Promise<void>;
}

/** One of our own schemes. */
interface Scheme {
  refresh(network: Network): Promise<void>;
  create(requirements: PaymentRequirements): Promise<{ payload: PaymentPayload['payload']; facts: PaymentFacts }>;
}

/** The schemes that only an account with its key pays: wallets and stock clients don't sign programs. */
export const BY_KEY = new Map([[UPTO, uptoScheme]]);

/** Payments by our own schemes: `exact`, and `upto` for an account that holds its key. */
export function avmPaymentMaker(options: ExactAvmClientOptions): PaymentMaker {
  const exact = new ExactAvmClient(options);
  const payer = exact.address;
  const schemes = new Map<string, Promise<Scheme>>([['exact', Promise.resolve(exactScheme(exact))]]);
  const schemeOf = ({ scheme }: PaymentRequirements): Promise<Scheme> => {
    const known = schemes.get(scheme) ?? BY_KEY.get(scheme)?.(options, payer);
    if (!known) throw new X402Error('unsupported_scheme');
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
  const load = loadedOnce(async () => {
    const { MandatePayments } = await import('../mandate/mandate-payments.ts');
    return new MandatePayments(options);
  });
  return {
    payer: mandate.address,
    mostPayments: MOST_SLOTS,
    ready: load,
    whyNot: (requirements) => whyNotByMandate(mandate, requirements),
    refresh: async (network) => (await load()).refresh(network),
    async make(required, requirements, signal) {
      const { payload, ...made } = await (await load()).create(requirements, signal);
      return { payload: paymentOf(required, requirements, payload), ...made };
    },
  };
}
