import type { AlgodConfig } from '../algod-config.ts';
import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { AssembledProgram } from '@avm402/teal/assemble';
import { disassemble, DisassemblyError } from '@avm402/teal/disassemble';
import { programAddress } from '@avm402/teal/program-address';
import { DevnodeError, refused } from '../../errors.ts';
import { jsonAnswer } from '../answer.ts';
import { queryBoolean } from '../parameter.ts';
import { type RestRequest, route, type Route } from '../route.ts';
import { developerApiIsOff } from './developer-api.ts';

/** The assembler is loaded with the first text, because a node that only moves money starts sooner without it. */
const loadAssembler = () => import('@avm402/teal/assemble');

/** The assembler and the disassembler of programs. */
export function tealRoutes({ EnableDeveloperAPI: developerApi }: AlgodConfig): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v2/teal/compile',
      summary: 'Assembles TEAL to a program and its address.',
      body: 'text/plain',
      parameters: { sourcemap: queryBoolean('With a source map. Default false.') },
      async handle({ sourcemap }, request) {
        if (!developerApi) return developerApiIsOff('/teal/compile');
        const { program, sourceMap } = await assembled(await tealBody(request));
        return jsonAnswer({
          hash: formatAddress(programAddress(program)),
          result: encodeBase64(program),
          sourcemap: sourcemap ? { ...sourceMap } : undefined,
        });
      },
    }),
    route({
      method: 'POST',
      path: '/v2/teal/disassemble',
      summary: 'Disassembles a program.',
      body: 'application/x-binary',
      async handle(_, request) {
        if (!developerApi) return developerApiIsOff('/teal/disassemble');
        return jsonAnswer({ result: disassembled(await tealBody(request)) });
      },
    }),
  ];
}

/** Reads the body, with the same size limit for both routes. */
async function tealBody(request: RestRequest): Promise<Uint8Array> {
  const { MAX_SOURCE_BYTES } = await loadAssembler();
  const { bytes, cut } = await request.body();
  if (cut || bytes.length > MAX_SOURCE_BYTES) throw refused('http: request body too large');
  return bytes;
}

async function assembled(source: Uint8Array): Promise<AssembledProgram> {
  const { assemble, AssemblyError } = await loadAssembler();
  // Differs from algod: bounded-macros
  try {
    return assemble(source);
  } catch (error) {
    if (error instanceof AssemblyError) throw new DevnodeError('refused', error.report, { cause: error });
    throw error;
  }
}

function disassembled(program: Uint8Array): string {
  try {
    return disassemble(program);
  } catch (error) {
    if (error instanceof DisassemblyError) throw new DevnodeError('refused', error.message, { cause: error });
    throw error;
  }
}
