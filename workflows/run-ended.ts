/** The run was ended or superseded while it worked: nothing more of it may be written. */
export class RunEnded extends Error {}
