import { parseAddressText } from '@avm402/teal/go';

/** The 32 bytes of an address; `refusal` makes the error for another text, of which it gets algod's reason. */
export function addressOr(text: string, refusal: (reason: string) => Error): Uint8Array {
  const address = parseAddressText(text);
  if (typeof address === 'string') throw refusal(address);
  return address;
}
