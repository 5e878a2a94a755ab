import type { ErrorDescription } from './description.ts';

/** Outside data that could not be read. */
export const inputErrors = {
  environment_invalid: {
    meaning: 'Environment variables are missing or malformed.',
    remedy: 'Set the variables named in the message.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_amount: {
    meaning: 'An atomic amount is not a whole number from 0 to 2^64 − 1 in decimal digits.',
    remedy: 'Write digits only, without sign, point or leading zeros.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_decimals: {
    meaning: "An asset's decimals are not a whole number from 0 to 19.",
    remedy: "Use the decimals of the asset's record on the network.",
    retryable: false,
    httpStatus: 500,
  },
  invalid_discovery: {
    meaning: 'The discovery declaration is not valid.',
    remedy: 'Declare input and output as the bazaar extension describes.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_network: {
    meaning: 'A network id is not CAIP-2.',
    remedy: 'Write namespace:reference, for example algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_payment_header: {
    meaning: 'The PAYMENT-SIGNATURE header is not base64 of a payment in JSON.',
    remedy: 'Send standard padded base64 of the PaymentPayload.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_payment_identifier: {
    meaning: 'A payment id is not 16 to 128 characters of letters, digits, _ and -.',
    remedy: 'Use 128 random bits, for example as pay_ and 32 hexadecimal digits.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_payment_payload: {
    meaning: 'The message is not a PaymentPayload.',
    remedy: 'Send x402Version, accepted and payload as the x402 specification says.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_payment_required: {
    meaning: 'The message is not a PaymentRequired.',
    remedy: "Tell the seller; the offer can't be paid.",
    retryable: false,
    httpStatus: 400,
  },
  invalid_payment_requirements: {
    meaning: 'The message is not PaymentRequirements.',
    remedy: 'Send scheme, network, asset, amount, payTo, maxTimeoutSeconds and extra.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_price: {
    meaning: 'A price is not a decimal number of dollars.',
    remedy: 'Write it like $0.01.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_replay: {
    meaning: 'The file is no payment that can be run again.',
    remedy: 'Export the payment from the console anew; a file of another version needs the program of that version.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_resource_info: {
    meaning: 'The message is not a ResourceInfo.',
    remedy: 'Send url, description and mimeType within their limits.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_settle_response: {
    meaning: 'The message is not a SettleResponse.',
    remedy: 'success, transaction and network are required.',
    retryable: false,
    httpStatus: 502,
  },
  invalid_supported_response: {
    meaning: 'The message is not a SupportedResponse.',
    remedy: 'kinds is required.',
    retryable: false,
    httpStatus: 502,
  },
  invalid_verify_response: {
    meaning: 'The message is not a VerifyResponse.',
    remedy: 'isValid is required.',
    retryable: false,
    httpStatus: 502,
  },
  price_not_positive: {
    meaning: 'A price is zero or negative.',
    remedy: 'Leave the route unpaid, or name a price above zero.',
    retryable: false,
    httpStatus: 400,
  },
  price_too_precise: {
    meaning: 'A price has more decimals than its asset.',
    remedy: "Round the price to the asset's decimals.",
    retryable: false,
    httpStatus: 400,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
