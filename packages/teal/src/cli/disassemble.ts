import { decodeBase64 } from '@avm402/algorand/base64';
import { disassemble as textOf, DisassemblyError } from '../disassembler/disassemble.ts';
import { CommandError, EXIT, parseArguments, readBytes, type Command } from './command.ts';

const help = `Usage: avm402-teal disassemble FILE [options]

Shows the source of a program's bytes, as algod v5.0.0 does. FILE - is stdin.

      --base64         FILE holds base64 text`;

const OPTIONS = { base64: { type: 'boolean' } } as const;

export const disassemble: Command = {
  summary: 'show the source of a program',
  help,
  async run(args, world) {
    const { values, file } = parseArguments(args, OPTIONS);
    const bytes = await readBytes(world, file);
    const program = values.base64 === true ? fromBase64(file, bytes) : bytes;
    try {
      world.print(textOf(program).trimEnd());
    } catch (error) {
      if (error instanceof DisassemblyError) throw new CommandError(`${file}: ${error.message}`);
      throw error;
    }
    return EXIT.done;
  },
};

function fromBase64(file: string, bytes: Uint8Array): Uint8Array {
  const program = decodeBase64(new TextDecoder().decode(bytes).trim());
  if (program === undefined) throw new CommandError(`${file} is not base64`);
  return program;
}
