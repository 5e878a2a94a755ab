import { readdirSync } from 'node:fs';
import type { ErrorDescription } from '../src/errors/description.ts';

type Errors = Readonly<Record<string, ErrorDescription>>;

/** The families of codes: each is a file, which exports its codes as `…Errors`. */
export const families = await Promise.all(
  readdirSync(new URL('../src/errors/', import.meta.url)).map(async (file): Promise<[name: string, errors: Errors]> => {
    const name = file.replace('.ts', '');
    const exported = Object.entries<Errors>(await import(`../src/errors/${name}.ts`));
    return [name, exported.find(([one]) => one.endsWith('Errors'))?.[1] ?? {}];
  }),
);

/** An error, and the family that it belongs to. */
interface Row extends ErrorDescription {
  readonly code: string;
  readonly family: string;
}

/** What readers of an error can do, in the order in which they should look: each row belongs to the first that takes it. */
const DEEDS: readonly [title: string, intro: string, takes: (row: Row) => boolean][] = [
  [
    'Do not pay again: wait and look',
    'A payment may have been made. Ask for its outcome; the same request gets it later.',
    ({ code, remedy }) => UNKNOWN.test(code) || /not pay again/i.test(remedy),
  ],
  ['Repeat the same call later', 'Nothing is wrong with what was sent.', ({ retryable }) => retryable],
  [
    'Fund, opt in, or ask for a budget',
    'The payment is right, but money, an opt-in or somebody’s budget is missing.',
    ({ code, remedy }) => MISSING.test(code) || /^(Fund|Opt in|Send ALGO)/.test(remedy),
  ],
  [
    'Correct the payment',
    'What was sent does not fit the offer or the rules. Build it anew from a fresh offer; a current client does so.',
    ({ httpStatus, family }) => httpStatus === 402 || BUYERS.has(family),
  ],
  [
    'Correct the request',
    'The request, a header or an argument can’t be read or is not allowed.',
    ({ httpStatus }) => httpStatus < 500,
  ],
  [
    'Correct the program or its settings',
    'The seller’s, buyer’s or operator’s own set-up; the message names what.',
    () => true,
  ],
];

const UNKNOWN = /^(settlement_pending|unexpected_settle_error)$|confirmation_failed$/;
const MISSING = /insufficient|not_opted_in|unfunded|budget|not_sponsored|asset_frozen/;
const BUYERS = new Set(['client']);

/** The page docs/errors.md, made from the catalogue. */
export function errorsPage(): string {
  const rows = families.flatMap(([family, errors]) =>
    Object.entries(errors)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, error]): Row => ({ ...error, code, family })),
  );
  const sections = DEEDS.map(([title, intro, takes], index) => {
    const earlier = DEEDS.slice(0, index);
    const own = rows.filter((row) => takes(row) && !earlier.some(([, , taken]) => taken(row)));
    return `## ${title}\n\n${intro}\n\n${table(own)}`;
  });
  return `# Errors

Every error has a code. The code is stable and safe to test for; the message says what was wrong this time. The codes are grouped by what to do. Below
each code are its family, its HTTP status, and _retryable_ if the same call can succeed later without a change. This page is made from the catalogue in \`packages/core/src/errors/\`.

${sections.join('\n\n')}
`;
}

/** Three columns, because a fourth has no room on the site. */
function table(rows: readonly Row[]): string {
  const lines = rows.map(({ code, family, meaning, remedy, retryable, httpStatus }) => {
    const facts = [family, httpStatus, ...(retryable ? ['retryable'] : [])].join(', ');
    return `| \`${code}\`<br>${facts} | ${escape(meaning)} | ${escape(remedy)} |`;
  });
  return ['| code | meaning | what to do |', '| --- | --- | --- |', ...lines].join('\n');
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|');
}
