import { parseAddress, ZERO_ADDRESS } from '@avm402/algorand/address';
import { byteKey, type ByteKey } from '../machine/application/byte-key.ts';
import { applicationOf, type MemoryApplication, MemoryLedger } from '../memory-ledger.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { CommandError, textOrHex } from './command.ts';

/** A state file for `run --app`, as JSON has it. */
interface StateFile {
  readonly application?: number;
  readonly sender?: string;
  readonly creator?: string;
  readonly round?: number;
  readonly timestamp?: number;
  readonly balances?: Readonly<Record<string, number>>;
  readonly globals?: JsonValues;
  readonly locals?: Readonly<Record<string, JsonValues>>;
  readonly boxes?: Readonly<Record<string, string>>;
}

type JsonValues = Readonly<Record<string, number | string>>;

/** The ledger of a state file, and the call's own values in it. */
export interface LoadedState {
  readonly ledger: MemoryLedger;
  readonly applicationId: bigint;
  readonly sender: Uint8Array;
  readonly boxes: readonly Uint8Array[];
}

const APPLICATION = 1001;
const SCHEMA = { uints: 64n, byteSlices: 64n };

/**
 * Reads a state file.
 * @throws CommandError
 */
export function readState(text: string, program: Uint8Array): LoadedState {
  const file = parsed(text);
  try {
    return loaded(file, program);
  } catch (error) {
    throw new CommandError(`invalid state: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parsed(text: string): StateFile {
  try {
    const file: unknown = JSON.parse(text);
    if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file;
  } catch {
    // Told below.
  }
  throw new CommandError('the state is not a JSON object');
}

function loaded(file: StateFile, program: Uint8Array): LoadedState {
  const { application = APPLICATION, round = 1, timestamp = 0, sender = ZERO_ADDRESS, creator = sender } = file;
  const applicationId = BigInt(application);
  const ledger = new MemoryLedger({ round: BigInt(round), timestamp: BigInt(timestamp) });
  const added = ledger.add(applicationId, applicationOf(parseAddress(creator), program, SCHEMA));
  fill(added, file);
  for (const [owner, balance] of Object.entries(file.balances ?? {})) {
    ledger.balances.set(byteKey(parseAddress(owner)), BigInt(balance));
  }
  return { ledger, applicationId, sender: parseAddress(sender), boxes: Object.keys(file.boxes ?? {}).map(bytesOf) };
}

function fill(application: MemoryApplication, { globals = {}, boxes = {}, locals = {} }: StateFile): void {
  for (const [key, value] of keyValuesOf(globals)) application.globals.set(key, value);
  for (const [name, content] of Object.entries(boxes)) application.boxes.set(byteKey(bytesOf(name)), bytesOf(content));
  for (const [owner, values] of Object.entries(locals)) {
    application.locals.set(byteKey(parseAddress(owner)), keyValuesOf(values));
  }
}

function keyValuesOf(values: JsonValues): Map<ByteKey, StackValue> {
  return new Map(Object.entries(values).map(([key, value]) => [byteKey(bytesOf(key)), valueOf(value)]));
}

function valueOf(value: number | string): StackValue {
  return typeof value === 'number' ? BigInt(value) : bytesOf(value);
}

function bytesOf(text: string): Uint8Array {
  const bytes = textOrHex(text);
  if (bytes === undefined) throw new CommandError(`${text}: expected pairs of hexadecimal digits`);
  return bytes;
}
