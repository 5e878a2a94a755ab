import * as z from 'zod';

/** An amount in atomic units, as decimal digits. */
export const atomic = z.string().regex(/^\d{1,20}$/);
