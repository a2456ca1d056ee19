// `import 'lectern-widget/preact'`: the elements in JSX of Preact.
import type { LecternJsx } from './index.js'

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements extends LecternJsx {}
  }
}
