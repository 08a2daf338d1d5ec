import * as z from 'zod';

/** When and where a call was made. Filled by the daemon; a client's own is stored beside it, never instead. */
export const RequestMetadata = z.strictObject({
  timestamp_utc: z.iso.datetime().describe('Such as 2025-10-10T00:05:30.123Z.'),
  timestamp_local: z.string().max(64).describe('Such as 2025-10-10 11:05:30 AEDT.'),
  timezone: z.string().max(64).describe('IANA name, such as Australia/Melbourne.'),
  geo_location: z
    .string()
    .max(256)
    .optional()
    .describe('From configuration or the zone; never looked up over the network.'),
});
export type RequestMetadata = z.infer<typeof RequestMetadata>;

/** What a client may say of itself: any part of it. */
export const ClientMetadata = RequestMetadata.partial();
export type ClientMetadata = z.infer<typeof ClientMetadata>;

/** As it stands among the arguments of a call. */
export const MetadataArgument = z.strictObject({ _request_metadata: ClientMetadata });
