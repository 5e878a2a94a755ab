import { DevnodeError } from '../../errors.ts';
import { textAnswer, type Answer } from '../answer.ts';
import { queryBoolean } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { developerApiIsOff } from './developer-api.ts';

/** TEAL tools: the routes are there with their gates, the compiler is not. */
export function tealRoutes({ developerApi }: { readonly developerApi: boolean }): Route[] {
  const unsupported = (path: string): Answer => {
    if (!developerApi) return textAnswer(404, developerApiIsOff(path));
    // Differs from algod: no-compiler
    const message = `${path}: this node neither compiles nor runs programs; ask a real algod`;
    throw new DevnodeError('unsupported', message, { status: 501 });
  };
  return [
    route({
      method: 'POST',
      path: '/v2/teal/compile',
      summary: 'Compiles TEAL: not supported by this node.',
      body: 'text/plain',
      parameters: { sourcemap: queryBoolean('With a source map. Default false.') },
      handle: () => unsupported('/teal/compile'),
    }),
    route({
      method: 'POST',
      path: '/v2/teal/disassemble',
      summary: 'Disassembles a program: not supported by this node.',
      body: 'application/x-binary',
      handle: () => unsupported('/teal/disassemble'),
    }),
  ];
}
