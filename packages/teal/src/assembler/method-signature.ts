import { AbiProblem, closingParenthesis, parseAbiType, splitAbiTypes } from '../go/abi-type.ts';
import type { ByteText } from '../go/byte-text.ts';
import { goQuote } from '../go/quote.ts';

/** Types that only arguments can have. */
const REFERENCES = new Set([
  'account',
  'asset',
  'application',
  'txn',
  'pay',
  'keyreg',
  'acfg',
  'axfer',
  'afrz',
  'appl',
]);

/** The error in a method's signature (ARC-4), in algod's words; undefined if it is right. */
export function methodSignatureProblem(signature: ByteText): ByteText | undefined {
  const open = signature.indexOf('(');
  if (open < 0) return `No parenthesis in method signature: ${goQuote(signature)}`;
  if (open === 0) return `Method signature has no name: ${goQuote(signature)}`;
  const close = closingParenthesis(signature, open);
  if (close === undefined) return `Unpaired parenthesis in method signature: ${goQuote(signature)}`;
  const result = signature.slice(close + 1);
  let place = '';
  try {
    for (const [index, type] of splitAbiTypes(signature.slice(open + 1, close)).entries()) {
      place = `Error parsing argument type at index ${index}: `;
      if (!REFERENCES.has(type)) parseAbiType(type);
    }
    place = 'Error parsing return type: ';
    if (result !== 'void') parseAbiType(result);
  } catch (error) {
    if (error instanceof AbiProblem) return place + error.message;
    throw error;
  }
  return undefined;
}
