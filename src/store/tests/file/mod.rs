//! What only a file has. The tests of modules called `file` are not run on a server.

mod damage;
