/** A file cannot be read. The message goes on from its name: "… is encrypted". */
export class BadFile extends Error {}
