import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { assemble, AssemblyError, type AssembledProgram, type Problem } from '../assembler/assemble.ts';
import { programAddress } from '@avm402/algorand/program';
import { CommandError, EXIT, parseArguments, readBytes, writeOut, type Command } from './command.ts';
import type { World } from './world.ts';

const help = `Usage: avm402-teal compile FILE [options]

Assembles TEAL as algod v5.0.0 does. FILE - is stdin. Prints the program in base64, its size and its address.
What is wrong with the source, and warnings, go to stderr as FILE:LINE:COLUMN: MESSAGE.

  -o, --out FILE       write the program's bytes there
      --map FILE       write a source map there
      --json           one JSON object, as algod answers`;

const OPTIONS = { out: { type: 'string', short: 'o' }, map: { type: 'string' }, json: { type: 'boolean' } } as const;

export const compile: Command = {
  summary: 'assemble TEAL to a program',
  help,
  async run(args, world) {
    const { values, file } = parseArguments(args, OPTIONS);
    const { program, sourceMap } = assembleFile(world, file, await readBytes(world, file));
    const address = formatAddress(programAddress(program));
    if (values.out !== undefined) await writeOut(world, values.out, program);
    if (values.map !== undefined) {
      await writeOut(world, values.map, `${JSON.stringify({ ...sourceMap, sources: [file] })}\n`);
    }
    const result = encodeBase64(program);
    if (values.json === true) world.print(JSON.stringify({ hash: address, result }));
    else world.print(`program  ${result}\nbytes    ${program.length}\naddress  ${address}`);
    return EXIT.done;
  },
};

/**
 * Assembles a file's source and shows its warnings.
 * @throws CommandError with everything that is wrong
 */
export function assembleFile(world: World, file: string, source: Uint8Array): AssembledProgram {
  try {
    const assembled = assemble(source);
    for (const warning of assembled.warnings) world.printError(`${placed(file, warning)} (warning)`);
    return assembled;
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    for (const warning of error.warnings) world.printError(`${placed(file, warning)} (warning)`);
    throw new CommandError(error.errors.map((problem) => placed(file, problem)).join('\n'));
  }
}

function placed(file: string, { line, column, message }: Problem): string {
  return `${file === '-' ? 'stdin' : file}:${line}:${column}: ${message}`;
}
