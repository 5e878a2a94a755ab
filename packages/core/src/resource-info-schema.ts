import * as z from 'zod';
import { optional } from './message-parser.ts';

export const resourceInfo = z.looseObject({
  url: z.string().max(4096),
  description: optional(z.string().max(8192)),
  mimeType: optional(z.string().max(256)),
  serviceName: optional(z.string().regex(/^[ -~]{1,32}$/, 'not 1 to 32 printable ASCII characters')),
  tags: optional(z.array(z.string().max(32)).max(5)),
  iconUrl: optional(z.string().max(2048)),
});
