/** Promises about files and documents at the gateway. */
export const GATEWAY_FILES_REQUIREMENTS = {
  'gateway-files:api':
    'Files are created, listed, retrieved, downloaded and deleted at /v1/files, in the shapes of OpenAI and of Anthropic.',
  'gateway-files:owner':
    'A file is found by the client that uploaded it alone; for others it is 404.',
  'gateway-files:nothing-left':
    'An upload that fails, is too large, is malformed or is broken off leaves nothing in the store.',
  'gateway-files:hostile-forms':
    'Malformed forms and hostile file names end in a 4xx in the shape of the API, or in a harmless name.',
  'gateway-files:documents':
    'Documents in chats of the OpenAI and Anthropic APIs are read locally, so that every model gets their text and no vendor their base64.',
  'gateway-files:by-id':
    'An uploaded document or picture is named by its id in a chat; the id of another client is unknown.',
  'gateway-files:in-all':
    'The texts of all documents of a chat have at most 24 MB, their pictures and videos 48 MB; what is over it is refused before more is read.',
  'gateway-files:secrets':
    'A text that comes as a document of a chat is checked for secrets as a file is.',
  'gateway-files:tool-results':
    'What tools of a client returned is checked for secrets: new results with a notice, every result where secrets are blocked.',
  'gateway-files:lifted':
    'Long strings are lifted out of large JSON bodies, and the value is the one that JSON.parse gives.',
  'stalls:watch':
    'A blocked event loop is logged, counted in /metrics and reported by doctor, with the tools that ran.',
  'stalls:turns':
    'Work on large requests is done in pieces, one piece per turn of the event loop, so that other requests get turns.',
  'stalls:limits':
    'What would block the event loop is refused by a documented limit, with what to do instead.',
  'stalls:returns':
    'After load with disconnecting clients, memory, descriptors, timers, sessions and permits return to where they were.',
  'transports:large':
    'A WebSocket message or a line over 4 MiB is parsed in steps, and what comes after it waits, so that the order is kept.',
  'gateway-files:large-bodies':
    'Bodies up to 32 MiB are accepted at every transport, so that content up to about 24 MB can be inline.',
} as const;
