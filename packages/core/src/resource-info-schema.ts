import * as z from 'zod/mini';
import { list, optional, text } from './message-parser.ts';

export const resourceInfo = z.looseObject({
  url: text(4096),
  description: optional(text(8192)),
  mimeType: optional(text(256)),
  serviceName: optional(z.string().check(z.regex(/^[ -~]{1,32}$/, 'not 1 to 32 printable ASCII characters'))),
  tags: optional(list(text(32), 5)),
  iconUrl: optional(text(2048)),
});
