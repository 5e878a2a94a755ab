import { isAddress, parseAddress, ZERO_ADDRESS } from '@avm402/algorand/address';
import { byteKey, type ByteKey } from '../machine/application/byte-key.ts';
import { applicationOf, MemoryLedger } from '../memory-ledger.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { CommandError, textOrHex } from './command.ts';

/** The ledger of a state file, and the call's own values in it. */
export interface LoadedState {
  readonly ledger: MemoryLedger;
  readonly applicationId: bigint;
  readonly sender: Uint8Array;
  readonly boxes: readonly Uint8Array[];
}

const NAMES = ['application', 'balances', 'boxes', 'creator', 'globals', 'locals', 'round', 'sender', 'timestamp'];
const APPLICATION = 1001;
const SCHEMA = { uints: 64n, byteSlices: 64n };
/** The longest key of a state, and the longest name of a box. */
const MAX_KEY_BYTES = 64;

/**
 * Reads a state file for `run --app`.
 * @throws CommandError
 */
export function readState(text: string, program: Uint8Array): LoadedState {
  const file = fileIn(text);
  const [round, timestamp] = [integerIn('round', file['round'] ?? 1), integerIn('timestamp', file['timestamp'] ?? 0)];
  const applicationId = integerIn('application', file['application'] ?? APPLICATION);
  const sender = addressIn('sender', file['sender'] ?? ZERO_ADDRESS);
  const creator = file['creator'] === undefined ? sender : addressIn('creator', file['creator']);
  const ledger = new MemoryLedger({ round, timestamp });
  const application = ledger.add(applicationId, applicationOf(creator, program, SCHEMA));
  for (const [key, value] of keyValuesIn('globals', file['globals'])) application.globals.set(key, value);
  for (const [owner, values] of entriesIn('locals', file['locals'])) {
    application.locals.set(byteKey(addressIn('locals', owner)), keyValuesIn(owner, values));
  }
  const boxes = entriesIn('boxes', file['boxes']).map(([name, content]) => {
    const bytes = keyIn(name);
    application.boxes.set(byteKey(bytes), bytesIn(name, content));
    return bytes;
  });
  for (const [owner, balance] of entriesIn('balances', file['balances'])) {
    ledger.balances.set(byteKey(addressIn('balances', owner)), integerIn(owner, balance));
  }
  return { ledger, applicationId, sender, boxes };
}

function fileIn(text: string): Readonly<Record<string, unknown>> {
  const file: unknown = parsed(text);
  if (!isObject(file)) throw new CommandError('the state is not a JSON object');
  const unknown = Object.keys(file).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw invalid(unknown, `unknown; a state has ${NAMES.join(', ')}`);
  return { ...file };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a part that may be left out. */
function entriesIn(name: string, value: unknown = {}): readonly [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  throw invalid(name, 'expected an object');
}

function keyValuesIn(name: string, value: unknown): Map<ByteKey, StackValue> {
  const entries = entriesIn(name, value);
  return new Map(entries.map(([key, one]) => [byteKey(keyIn(key)), valueIn(key, one)]));
}

function valueIn(name: string, value: unknown): StackValue {
  return typeof value === 'number' ? integerIn(name, value) : bytesIn(name, value);
}

function integerIn(name: string, value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw invalid(name, 'expected a whole number from 0 to 2^53 - 1');
}

function addressIn(name: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && isAddress(value)) return parseAddress(value);
  throw invalid(name, 'expected an address');
}

function bytesIn(name: string, value: unknown): Uint8Array {
  if (typeof value !== 'string') throw invalid(name, 'expected a text, or bytes after 0x');
  const bytes = textOrHex(value);
  if (bytes === undefined) throw invalid(value, 'expected pairs of hexadecimal digits');
  return bytes;
}

function keyIn(name: string): Uint8Array {
  const bytes = bytesIn(name, name);
  if (bytes.length <= MAX_KEY_BYTES) return bytes;
  throw invalid(`${name.slice(0, MAX_KEY_BYTES)}…`, `expected at most ${MAX_KEY_BYTES} bytes`);
}

function invalid(name: string, problem: string): CommandError {
  return new CommandError(`invalid state: ${name}: ${problem}`);
}
