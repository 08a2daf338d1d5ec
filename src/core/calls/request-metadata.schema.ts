import * as z from 'zod';

/**
 * When and where a call was made, filled in by the daemon. Metadata from the client is stored
 * beside it and never replaces it.
 */
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

/** Metadata that a client sends; every field is optional. */
export const ClientMetadata = RequestMetadata.partial();
export type ClientMetadata = z.infer<typeof ClientMetadata>;

/** The argument that carries it. */
export const METADATA_KEY = '_request_metadata';
export const MetadataArgument = z.strictObject({ [METADATA_KEY]: ClientMetadata });
