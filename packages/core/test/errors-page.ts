import { channelErrors } from '../src/errors/channel.ts';
import { uptoErrors } from '../src/errors/upto.ts';
import { clientErrors } from '../src/errors/client.ts';
import type { ErrorDescription } from '../src/errors/description.ts';
import { facilitatorErrors } from '../src/errors/facilitator.ts';
import { inputErrors } from '../src/errors/input.ts';
import { serverErrors } from '../src/errors/server.ts';
import { wireErrors } from '../src/errors/wire.ts';

export const families: readonly [title: string, intro: string, errors: Readonly<Record<string, ErrorDescription>>][] = [
  [
    'On the wire',
    'Reasons in `invalidReason`, `errorReason` and `error`. Names that start with `invalid_exact_avm_` without a finer ending are upstream’s.',
    wireErrors,
  ],
  ['Channels', 'Reasons of the scheme `batch-settlement`.', channelErrors],
  ['Metered payments', 'Reasons of the scheme `upto`.', uptoErrors],
  ['Facilitator', 'Answers of the facilitator about itself.', facilitatorErrors],
  ['Resource server', 'Answers of the middleware, and what stops it at its start.', serverErrors],
  ['Client', 'What the paying fetch throws and `avm402` prints.', clientErrors],
  ['Input', 'Outside data that could not be read.', inputErrors],
];

/** The page docs/errors.md, made from the catalogue. */
export function errorsPage(): string {
  const sections = families.map(([title, intro, errors]) => `## ${title}\n\n${intro}\n\n${table(errors)}`);
  return `# Errors

Every error has a code. The code is stable and safe to test for; the message says what was wrong this time. \`retryable\` means that the
same call can succeed later without a change. This page is made from the catalogue in \`packages/core/src/errors/\`.

${sections.join('\n\n')}
`;
}

function table(errors: Readonly<Record<string, ErrorDescription>>): string {
  const rows = Object.entries(errors).map(
    ([code, { meaning, remedy, retryable, httpStatus }]) =>
      `| \`${code}\` | ${httpStatus} | ${retryable ? 'yes' : 'no'} | ${escape(meaning)} | ${escape(remedy)} |`,
  );
  return ['| code | HTTP | retryable | meaning | what to do |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|');
}
