import { refused } from '../errors.ts';
import type { Answer } from '../rest/answer.ts';
import { type RestRequest, route, type Route } from '../rest/route.ts';
import type { AnyControl, Argument, LocalNode, Values } from './control.ts';
import { CONTROLS, MAX_STATE_BYTES } from './control-table.ts';

const NO_BYTES = new Uint8Array(0);

/** The developer controls over HTTP: only for programs on this machine, and with the token. */
export function controlRoutes(node: LocalNode): Route[] {
  return Object.values<AnyControl>(CONTROLS).map((control) => {
    const { method = 'POST', path, summary, takes } = control;
    const parameters: Argument<unknown>['parameters'] = Object.assign({}, ...takes.map((each) => each.parameters));
    const body = takes.find((argument) => argument.body !== undefined)?.body;
    return route({
      method,
      path,
      summary,
      access: 'loopback',
      parameters,
      ...(body !== undefined && { body: body.type, maxBodyBytes: body.maxBytes }),
      handle: async (bound, request) => run(node, control, bound, request),
    });
  });
}

async function run(node: LocalNode, control: AnyControl, values: Values, request: RestRequest): Promise<Answer> {
  const { takes, gives } = control;
  const body = takes.some((argument) => argument.body !== undefined) ? await wholeBody(request) : NO_BYTES;
  const result = await control.run(node, ...takes.map((argument) => argument.read(values, body)));
  return gives.answer(result, values);
}

/** @throws DevnodeError `refused` */
async function wholeBody(request: RestRequest): Promise<Uint8Array> {
  const { bytes, cut } = await request.body();
  if (cut) throw refused(`more than ${MAX_STATE_BYTES} bytes: start the node with --load`);
  return bytes;
}
