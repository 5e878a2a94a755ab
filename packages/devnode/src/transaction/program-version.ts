import { programVersion as versionOf } from '@avm402/teal/run';

/** The version at the start of a program, or algod's message for why it can't be read. */
export function programVersion(program: Uint8Array): bigint | string {
  if (program.length === 0) return 'invalid program (empty)';
  return versionOf(program) ?? 'invalid version';
}
