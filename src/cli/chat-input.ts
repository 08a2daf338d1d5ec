/** What comes from whoever chats. */
export type Heard =
  | { readonly is: 'text'; readonly text: string }
  /** Somebody wants out of what they were typing; `nothing` when they were not. */
  | { readonly is: 'interrupt'; readonly dropped: 'something' | 'nothing' }
  | { readonly is: 'end'; readonly because: 'closed' | 'interrupted' };

export interface ChatInput {
  /** The next message or command, however many lines it has. */
  next(): Promise<Heard>;
  /** Until `stop`, whoever wants what runs to end is told of here. */
  whileBusy(onInterrupt: () => void): { stop(): void };
  /** Gives the terminal back as it was. */
  close(): void;
}
