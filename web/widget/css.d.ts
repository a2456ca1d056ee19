/** A style sheet that a script imports is its text, bundled: shadow roots adopt it. */
declare module '*.css' {
  const text: string
  export default text
}
