import { messageParser } from './message-parser.ts';
import { resourceInfo } from './resource-info-schema.ts';

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

/** @throws X402Error `invalid_resource_info` */
export const parseResourceInfo = messageParser<ResourceInfo>('invalid_resource_info', resourceInfo);
