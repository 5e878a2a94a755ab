import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import { X402Error } from '@avm402/core/errors';
import * as z from 'zod';
import type { Roles } from './roles.ts';

const httpUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
  // fetch refuses it, and its error, which the page shows, has the password.
  .refine((text) => !URL.parse(text)?.username && !URL.parse(text)?.password, 'must have no user or password');
/** No trailing slash: paths are appended. */
const origin = httpUrl
  .refine((text) => !/[?#]/.test(text), 'must have no query or fragment')
  .transform((text) => text.replace(/\/+$/, ''));

const environment = z.object({
  ALGOD_URL: origin.default(DEVELOPMENT_ALGOD.url),
  ALGOD_TOKEN: z.string().max(512).default(DEVELOPMENT_ALGOD.token),
  FACILITATOR_URL: origin.default('http://127.0.0.1:4022'),
  // fetch shows a key that no header can carry.
  FACILITATOR_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 visible ASCII characters')
    .optional(),
  RESOURCE_URL: httpUrl.default('http://127.0.0.1:4021/weather'),
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(4023),
});

/**
 * Reads the console's settings from the environment.
 * @throws X402Error `environment_invalid`, which names every problem at once
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): { readonly roles: Roles; readonly port: number } {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim() !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new X402Error('environment_invalid', { message: faults.join('; ') });
  }
  const { ALGOD_URL, ALGOD_TOKEN, FACILITATOR_URL, FACILITATOR_KEY: key, RESOURCE_URL, PORT } = parsed.data;
  const roles: Roles = {
    algod: { url: ALGOD_URL, token: ALGOD_TOKEN },
    facilitator: { url: FACILITATOR_URL, ...(key !== undefined && { key }) },
    resource: { url: RESOURCE_URL },
  };
  return { roles, port: PORT };
}
