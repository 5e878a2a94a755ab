import { z } from 'zod';
import { messageParser, optional } from './message-parser.ts';

/** What is sold (x402 v2 §5.1). Unknown members are preserved. */
export interface ResourceInfo {
  url: string;
  description?: string;
  mimeType?: string;
  /** 1 to 32 printable ASCII characters. */
  serviceName?: string;
  /** At most 5, each of at most 32 characters. */
  tags?: string[];
  iconUrl?: string;
}

export const resourceInfo = z.looseObject({
  url: z.string().max(4096),
  description: optional(z.string().max(8192)),
  mimeType: optional(z.string().max(256)),
  serviceName: optional(z.string().regex(/^[ -~]{1,32}$/, 'not 1 to 32 printable ASCII characters')),
  tags: optional(z.array(z.string().max(32)).max(5)),
  iconUrl: optional(z.string().max(2048)),
});

/** Errors: `invalid_resource_info`. */
export const parseResourceInfo: (input: unknown) => ResourceInfo = messageParser('invalid_resource_info', resourceInfo);
