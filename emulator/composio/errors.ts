import type { Headers, Reply } from '../vendor.ts';

/** The error of the REST interface. */
export interface ComposioError {
  readonly status: number;
  readonly message: string;
  readonly code: number;
  readonly slug?: string;
  readonly fix?: string;
}

let requests = 0;

export async function refuse(
  reply: Reply,
  { status, message, code, slug, fix }: ComposioError,
  headers: Headers = {},
): Promise<void> {
  requests += 1;
  await reply.json(
    status,
    {
      error: {
        message,
        code,
        status,
        request_id: `req_${requests.toString(16).padStart(12, '0')}`,
        ...(slug !== undefined && { slug }),
        ...(fix !== undefined && { suggested_fix: fix }),
        errors: [],
      },
    },
    headers,
  );
}

export const notFound = (message: string, slug?: string): ComposioError => ({
  status: 404,
  message,
  code: 4304,
  ...(slug !== undefined && { slug }),
});

export const badRequest = (message: string): ComposioError => ({
  status: 400,
  message,
  code: 10_400,
});
