export { type AbiList, AbiProblem, type AbiType, parseAbiType } from './go/abi-type.ts';
export { parseAddressText } from './go/address.ts';
export { decodeBareBase32, decodeBase32, type Decoded, isBytes } from './go/base32.ts';
export { decodeBase64, PADDED_BASE64 } from './go/base64.ts';
export { bytesOfExactText, byteTextOf, exactText } from './go/byte-text.ts';
export { jsonProblem } from './go/json-problem.ts';
export { moneyText } from './go/money-text.ts';
export {
  type NumberProblem,
  type NumberProblem as NumberTrouble,
  parseBoolean,
  parseDecimal,
  parseSigned,
} from './go/number.ts';
export { goQuote } from './go/quote.ts';
