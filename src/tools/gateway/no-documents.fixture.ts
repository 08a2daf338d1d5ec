import type { ChatDocumentsDeps } from './chat-documents.ts';

const refuse = async () => {
  throw new Error('Nothing here has documents.');
};

/** For tests whose chats have no documents. */
export const NO_DOCUMENTS: ChatDocumentsDeps = {
  fileIntake: { load: refuse },
  fetchDocument: refuse,
};
