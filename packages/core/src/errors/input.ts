import { final, type ErrorDescription } from './description.ts';

/** Outside data that could not be read. */
export const inputErrors = {
  environment_invalid: final(400, {
    meaning: 'Environment variables are missing or malformed.',
    remedy: 'Set the variables named in the message.',
  }),
  invalid_amount: final(400, {
    meaning: 'An atomic amount is not a whole number from 0 to 2^64 − 1 in decimal digits.',
    remedy: 'Write digits only, without sign, point or leading zeros.',
  }),
  invalid_decimals: final(500, {
    meaning: "An asset's decimals are not a whole number from 0 to 19.",
    remedy: "Use the decimals of the asset's record on the network.",
  }),
  invalid_discovery: final(400, {
    meaning: 'The discovery declaration is not valid.',
    remedy: 'Declare input and output as the bazaar extension describes.',
  }),
  invalid_mandate: final(400, {
    meaning: "A mandate's configuration or its list of receivers is not valid.",
    remedy: 'Correct the field named in the message.',
  }),
  invalid_network: final(400, {
    meaning: 'A network id is not CAIP-2.',
    remedy: 'Write namespace:reference, for example algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe.',
  }),
  invalid_payment_header: final(400, {
    meaning: 'The PAYMENT-SIGNATURE header is not base64 of a payment in JSON.',
    remedy: 'Send standard padded base64 of the PaymentPayload.',
  }),
  invalid_payment_identifier: final(400, {
    meaning: 'A payment id is not 16 to 128 characters of letters, digits, _ and -.',
    remedy: 'Use 128 random bits, for example as pay_ and 32 hexadecimal digits.',
  }),
  invalid_payment_payload: final(400, {
    meaning: 'The message is not a PaymentPayload.',
    remedy: 'Send x402Version, accepted and payload as the x402 specification says.',
  }),
  invalid_payment_required: final(400, {
    meaning: 'The message is not a PaymentRequired.',
    remedy: "Tell the seller; the offer can't be paid.",
  }),
  invalid_payment_requirements: final(400, {
    meaning: 'The message is not PaymentRequirements.',
    remedy: 'Send scheme, network, asset, amount, payTo, maxTimeoutSeconds and extra.',
  }),
  invalid_price: final(400, {
    meaning: 'A price is not a decimal number of dollars.',
    remedy: 'Write it like $0.01.',
  }),
  invalid_replay: final(400, {
    meaning: 'The file is not a payment that can be run again.',
    remedy: 'Export the payment from the console anew; a file of another version needs the program of that version.',
  }),
  invalid_resource_info: final(400, {
    meaning: 'The message is not a ResourceInfo.',
    remedy: 'Send url, description and mimeType within their limits.',
  }),
  invalid_settle_response: final(502, {
    meaning: 'The message is not a SettleResponse.',
    remedy: 'success, transaction and network are required.',
  }),
  invalid_supported_response: final(502, {
    meaning: 'The message is not a SupportedResponse.',
    remedy: 'kinds is required.',
  }),
  invalid_verify_response: final(502, {
    meaning: 'The message is not a VerifyResponse.',
    remedy: 'isValid is required.',
  }),
  price_not_positive: final(400, {
    meaning: 'A price is zero or negative.',
    remedy: 'Leave the route unpaid, or name a price above zero.',
  }),
  price_too_precise: final(400, {
    meaning: 'A price has more decimals than its asset.',
    remedy: "Round the price to the asset's decimals.",
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
