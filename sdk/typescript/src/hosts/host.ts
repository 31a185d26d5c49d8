/** Where a host's answers go. */
export interface Output {
  write(frame: Uint8Array | string): void;
  /** Nothing more should be read for now, because too many calls are not answered yet; or it may go on. */
  hold?(isHeld: boolean): void;
}

/** One conversation with the program that calls the plugin. */
export interface Conversation {
  /** Bytes of the host. @throws {Error} They are not messages; the conversation ends. */
  receive(chunk: Uint8Array): void;
  /** The host has closed its side. Resolves when everything is answered. */
  finish(): Promise<void>;
}

/** How a conversation ends that the host says goodbye to. */
export type Goodbye = () => void;
