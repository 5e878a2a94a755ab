import { Choice, Form } from '../parts/form.tsx';
import type { Control, ControlValues } from './control.ts';

/** The algod routes that payments need. */
const ROUTES = [
  'POST /v2/transactions',
  'POST /v2/transactions/simulate',
  'GET /v2/transactions/params',
  'GET /v2/transactions/pending/{txid}',
  'GET /v2/status',
  'GET /v2/status/wait-for-block-after/{round}',
  'GET /v2/blocks/{round}/txids',
  'GET /v2/accounts/{address}',
];

/** The kinds of fault, each with the values that cause it. */
const KINDS: Readonly<Record<string, ControlValues>> = {
  'answers 503': { status: 503 },
  'answers 500': { status: 500 },
  'is two seconds late': { 'delay-ms': 2000 },
  'loses the request': { lose: 'request' },
  'loses the answer': { lose: 'answer' },
};

const TIMES: Readonly<Record<string, ControlValues>> = { once: { times: 1 }, '3 times': { times: 3 }, always: {} };

/** A form that makes requests of a route fail, so that you see how a payment copes. */
export function FaultForm({ control }: { readonly control: Control }) {
  return (
    <Form onSubmit={(of) => control('addFault', { route: of('route'), ...KINDS[of('kind')], ...TIMES[of('times')] })}>
      <Choice label="Route" name="route" options={ROUTES} />
      <Choice label="What happens" name="kind" options={Object.keys(KINDS)} />
      <Choice label="How often" name="times" options={Object.keys(TIMES)} />
      <button>Set the fault</button>
    </Form>
  );
}
