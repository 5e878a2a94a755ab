import type { ErrorDescription } from './description.ts';

/** Reasons of a refusal on the wire, scheme `batch-settlement`. The names are those of its other bindings where they fit. */
export const channelErrors = {
  invalid_batch_settlement_avm_channel_config: {
    meaning: "The channel's configuration is not one that the scheme allows.",
    remedy: 'Build it from the offer: receiver, receiverAuthorizer and token are its terms; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_payload: {
    meaning: "The payment's payload is not one of the scheme batch-settlement.",
    remedy: 'Send a deposit, a voucher or a refund as the specification shows; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
